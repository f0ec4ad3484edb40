"""The demonstration of installer/run.sh: the agent's attempts fail as it says, and its record tells the same in words."""

import os
import subprocess

from world import WorldTest, main

SHOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../resources/demo/show.py")


class Demonstration(WorldTest):
    def test_shows_an_allowed_service_the_refusals_and_the_record_in_words(self):
        before = self.jar.processes()
        done = subprocess.run(["/usr/bin/python3", SHOW, self.jar.program], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said, record = done.stdout.split("\n2. Its record")
        self.assertIn("Hello from the one service", said)
        self.assertIn("written: notes.txt", said)
        self.assertIn("Permission denied", said)
        self.assertIn("Operation not permitted", said)
        self.assertIn("(not set)", said)
        self.assertNotIn("planted-secret", done.stdout)
        self.assertNotIn("found!", said)
        self.assertIn("example.com", record)
        self.assertIn("203.0.113.7", record)
        self.assertIn("bpf", record)
        self.assertEqual(self.jar.nothing_left(before), {})
        self.assertEqual(os.listdir(self.world.home), [])


if __name__ == "__main__":
    main()
