"""Pipes and files: binary, whole, at full speed, each descriptor for itself."""

import hashlib
import os
import signal
import subprocess
import time

from world import WorldTest, main


class Pipes(WorldTest):
    def test_every_byte_value_comes_through_both_ways(self):
        data = bytes(range(256)) * 1000
        run = self.jar.run(["cat"], stdin=data, binary=True)
        self.assertEqual((run.status, run.out), (0, data))

    def test_output_and_errors_stay_apart(self):
        run = self.jar.run(["sh", "-c", "echo out; echo err >&2"], options=["-q"])
        self.assertEqual((run.out, run.err), ("out\n", "err\n"))

    def test_output_without_a_newline_and_no_output_at_all(self):
        self.assertEqual(self.jar.run(["printf", "no newline"]).out, "no newline")
        self.assertEqual(self.jar.run(["true"]).out, "")

    def test_200_megabytes_go_in_and_come_out_whole_and_fast(self):
        name, words = self.jar.command(["sha256sum"], options=["-q"])
        block = os.urandom(1 << 20)
        expected = hashlib.sha256(block * 200).hexdigest()
        start = time.monotonic()
        session = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(200):
            session.stdin.write(block)
        session.stdin.close()
        self.assertEqual(session.stdout.read().split()[0].decode(), expected)
        self.assertEqual(session.wait(), 0)
        self.assertLess(time.monotonic() - start, 20)
        name, words = self.jar.command(["head", "-c", str(200 << 20), "/dev/zero"], options=["-q"])
        start = time.monotonic()
        session = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        size = 0
        while chunk := session.stdout.read(1 << 20):
            size += len(chunk)
        self.assertEqual((session.wait(), size), (0, 200 << 20))
        self.assertLess(time.monotonic() - start, 20)

    def test_a_hundred_megabytes_of_lines(self):
        run = self.jar.run(["sh", "-c", "yes 'a line of output' | head -c 100000000"], binary=True)
        self.assertEqual(len(run.out), 100000000)

    def test_files_can_be_given_as_input_and_output(self):
        source, target = self.world.base + "/in", self.world.base + "/out"
        with open(source, "wb") as file:
            file.write(b"x" * 3000000)
        with open(source, "rb") as given, open(target, "wb") as taken:
            name, words = self.jar.command(["cat"], options=["-q"])
            self.assertEqual(subprocess.run(words, stdin=given, stdout=taken).returncode, 0)
        self.assertEqual(os.path.getsize(target), 3000000)

    def test_appending_to_a_file_appends(self):
        target = self.world.base + "/log"
        with open(target, "w", encoding="ascii") as file:
            file.write("before\n")
        with open(target, "a", encoding="ascii") as taken:
            name, words = self.jar.command(["echo", "after"], options=["-q"])
            subprocess.run(words, stdin=subprocess.DEVNULL, stdout=taken, check=True)
        with open(target, encoding="ascii") as file:
            self.assertEqual(file.read(), "before\nafter\n")

    def test_a_reader_that_goes_away_ends_the_writer(self):
        done = subprocess.run(["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "x", *self.jar.command(["yes"], options=["-q"])[1]],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
        self.assertEqual(done.stdout, "y\n")

    def test_a_command_that_does_not_read_its_input_is_not_waited_for(self):
        run = self.jar.run(["true"], stdin=b"x" * 5000000)
        self.assertEqual(run.status, 0, repr(run))

    def test_closed_input_is_end_of_file(self):
        name, words = self.jar.command(["cat"], options=["-q"])
        done = subprocess.run(["sh", "-c", '"$@" <&-', "x", *words], capture_output=True, timeout=20)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)

    def test_input_is_answered_line_by_line_as_it_comes(self):
        name, words = self.jar.command(["/usr/bin/python3", "-u", "-c", "import sys\nfor line in sys.stdin: print(line.strip().upper())"])
        session = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for word in (b"one", b"two", b"three"):
            session.stdin.write(word + b"\n")
            session.stdin.flush()
            self.assertEqual(session.stdout.readline(), word.upper() + b"\n")
        session.stdin.close()
        self.assertEqual(session.wait(10), 0)

    def test_no_stream_is_a_terminal_when_none_was_given(self):
        run = self.jar.python("import os\nprint([os.isatty(n) for n in (0, 1, 2)])", stdin=b"")
        self.assertEqual(run.out, "[False, False, False]\n")

    def test_an_interrupt_reaches_the_command(self):
        code = "import signal, sys, time\nsignal.signal(signal.SIGINT, lambda *a: sys.exit(42))\nprint('ready', flush=True)\nwhile True: time.sleep(9)"
        name, process = self.jar.start(["/usr/bin/python3", "-c", code])
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), 42)


if __name__ == "__main__":
    main()
