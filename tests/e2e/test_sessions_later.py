"""What can be done to a session later: restart it as it was asked for, give it another name, cut one of its connections."""

import json
import os
import subprocess

from world import WorldTest, main
from world.servers import Witness

TALK = """
import socket, sys
talks = [socket.create_connection((sys.argv[1], 7100)) for _ in range(2)]
for talk in talks: assert talk.recv(5) == b'hello'
print('open', flush=True)
for line in sys.stdin:
    for n, talk in enumerate(talks):
        try:
            talk.sendall(b'x'); print(n, 'is there', flush=True)
            talk.settimeout(2); print(n, 'gives', len(talk.recv(1)), flush=True)
        except OSError as e: print(n, 'is gone', type(e).__name__, flush=True)
"""


class Later(WorldTest):
    def row(self, session):
        return next(row for row in self.jar.sessions() if row["id"] == session)

    def spec(self, session):
        with open(f"{self.jar.base}/state/sessions/{session}/spec.json", encoding="utf-8") as file:
            return json.load(file)

    def start_detached(self, words, cwd=None):
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        session = done.stdout.strip()
        self.addCleanup(lambda: self.jar.call("stop", "--force", session))
        return session

    def restart(self, session, *options):
        again = self.succeeds(self.jar.call("restart", "-d", *options, session)).out.strip()
        self.addCleanup(lambda: self.jar.call("stop", "--force", again))
        return again

    def test_restart_asks_for_the_same_again_with_the_policy_as_it_is_now(self):
        tools = self.world.base + "/tools"
        os.makedirs(tools)
        policy = self.jar.policy(allow=["one.example"])
        session = self.start_detached([self.jar.program, "run", "-d", "-C", self.jar.workspace, "-n", "job", "-p", os.path.relpath(policy, self.world.base),
                                       "--allow", "two.example:7", "--env", "EDITOR", "--read", "tools", "--",
                                       "sh", "-c", "sleep 1000 # \udcff $(x) 'y'"], cwd=self.world.base)
        self.succeeds(self.jar.call("rename", session, "other name"))
        before = self.spec(session)
        with open(policy, "a", encoding="utf-8") as file:
            file.write("deny = [\"three.example\"]\n")
        again = self.restart("other name")
        self.assertNotEqual(again, session)
        self.assertEqual((self.row(session)["state"], self.row(again)["state"], self.row(again)["name"]), ("ended", "running", "other name"))
        after = self.spec(again)
        for same in ("argv", "workspace", "mounts", "environment", "policy_name", "limits", "system"):
            self.assertEqual(after[same], before[same], same)
        self.assertIn("two.example:7", after["egress"][0]["allow"])
        self.assertEqual((before["egress"][0]["deny"], after["egress"][0]["deny"]), ([], ["three.example"]))
        third = self.restart(again, "--force")
        self.assertEqual(self.spec(third)["argv"], before["argv"])

    def test_restart_in_the_foreground_ends_with_the_command_s_status(self):
        run = self.jar.run(["sh", "-c", "echo out; exit 5"])
        self.assertEqual(run.status, 5)
        again = self.jar.call("restart", "-q", run.name)
        self.assertEqual((again.status, again.out, again.err), (5, "out\n", ""))
        self.assertEqual(len([row for row in self.jar.sessions() if row["name"] == run.name]), 2)

    def test_what_cannot_be_restarted_is_left_alone_and_said_in_a_line(self):
        unknown = self.jar.call("restart", "no-such")
        self.assertEqual((unknown.status, unknown.err.count("\n")), (125, 1))
        folder = self.world.base + "/passing"
        os.makedirs(folder)
        session = self.start_detached([self.jar.program, "run", "-d", "-C", self.jar.workspace, "--", "sleep", "1000"], cwd=folder)
        os.rmdir(folder)
        gone = self.jar.call("restart", "-d", session)
        self.assertEqual((gone.status, gone.err.count("\n")), (125, 1))
        self.assertIn("where it was started", gone.err)
        self.assertEqual(self.row(session)["state"], "running")
        os.unlink(f"{self.jar.base}/state/sessions/{session}/request.json")
        old = self.jar.call("restart", "-d", session)
        self.assertIn("what it was asked for is not known", old.err)
        self.assertEqual(self.row(session)["state"], "running")

    def test_a_new_name_finds_the_session_and_survives_the_loss_of_the_index(self):
        run = self.jar.run(["true"])
        session = self.jar.id_of(run.name)
        renamed = self.json_of(self.jar.call("rename", "--json", run.name, "né w"))
        self.assertEqual(renamed, {"id": session, "name": "né w", "before": run.name})
        self.assertEqual(self.json_of(self.jar.call("show", "--json", "né w"))["id"], session)
        os.unlink(self.jar.base + "/state/index.db")
        self.assertEqual(self.row(session)["name"], "né w")
        self.assertEqual(self.jar.call("show", "né w").status, 0)
        self.assertEqual(self.jar.call("audit", "verify", session).status, 0)
        for bad in ("", "a/b", "-x", "\x1b[31m", "x" * 65):
            refused = self.jar.call("rename", "--", session, bad)
            self.assertEqual((refused.status, refused.err.count("\n")), (1, 1), bad)
        self.assertEqual(self.row(session)["name"], "né w")

    def test_cut_ends_one_connection_and_nothing_else(self):
        self.world.names.zone["talk.example"] = ["198.51.100.77"]
        Witness(["198.51.100.77"], [7100], greeting=b"hello", echo=True)
        name, process = self.jar.start(["/usr/bin/python3", "-u", "-c", TALK, "talk.example"], stdin=subprocess.PIPE,
                                       allow=["talk.example:7100"])
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), b"open\n")
        numbers = [each["conn"] for each in self.json_of(self.jar.call("show", "--json", name))["live"]["connections"]]
        self.assertEqual(len(numbers), 2)
        shown = self.jar.call("show", name).out
        told = self.jar.call("audit", "show", name).out
        for number in numbers:
            self.assertIn(f"#{number} talk.example:7100", shown)
            self.assertIn(f"talk.example:7100 #{number}", told)
        offered = self.jar.call("__complete", "cut", name, "").out.split("\n")
        self.assertEqual({line.split("\t")[0] for line in offered if line}, {str(number) for number in numbers})
        self.succeeds(self.jar.call("cut", name, f"#{numbers[0]}"))
        self.jar.wait_until(lambda: self.jar.events(name, "egress-closed", conn=numbers[0]))
        self.assertIn("cut by", self.jar.events(name, "egress-closed", conn=numbers[0])[0]["reason"])
        process.stdin.write(b"\n")
        process.stdin.flush()
        lines = [process.stdout.readline().decode() for _ in range(4 - 1)]
        left = "".join(lines)
        self.assertIn("1 is there", left)
        self.assertNotIn("0 gives 1", left)
        for wrong, word in ((str(numbers[0]), "no open connection"), ("99999", "no open connection"), ("x", "not the number")):
            refused = self.jar.call("cut", name, wrong)
            self.assertEqual((refused.status, refused.err.count("\n")), (1, 1))
            self.assertIn(word, refused.err)


if __name__ == "__main__":
    main()
