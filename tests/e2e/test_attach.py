"""A session can be left and come back to: detach and attach, several at once, and the terminal that is left behind."""

import hashlib
import os
import select
import signal
import subprocess
import termios
import time

from world import WorldTest, main
from world.terminal import Terminal, Tmux

SHELL = ["bash", "--norc", "--noprofile"]


class Attach(WorldTest):
    def on(self, words, **size):
        terminal = Terminal(words, **size)
        self.addCleanup(terminal.close)
        return terminal

    def tmux(self, words, **size):
        tmux = Tmux(self.world.base, words, **size)
        self.addCleanup(tmux.close)
        return tmux

    def attach_words(self, session, *options):
        return [self.jar.program, "attach", *options, session]

    def detached(self, argv, **how):
        """A session with nobody at its terminal; it is ended with the test."""
        name, words = self.jar.command(argv, options=["--detach"], **how)
        started = subprocess.run(words, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
        self.assertEqual(started.returncode, 0, started.stderr)
        session = started.stdout.strip()
        self.addCleanup(lambda: self.jar.call("stop", "--force", session))
        return session

    def test_ctrl_bracket_leaves_a_foreground_session_which_goes_on(self):
        name, words = self.jar.command(SHELL)
        terminal = self.on(words)
        terminal.write(b"echo $((6 * 7))\n")
        terminal.expect(b"\r42\r\n")
        terminal.write(b"\x1d")
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"detached from " + name.encode(), terminal.text)
        self.assertIn(b"belljar attach ", terminal.text)
        self.addCleanup(lambda: self.jar.call("stop", "--force", name))
        self.assertEqual([row["state"] for row in self.jar.sessions() if row["name"] == name], ["running"])
        again = self.on(self.attach_words(name))
        again.expect(b"42")
        again.write(b"exit 7\n")
        self.assertEqual(again.wait(), 7)
        self.assertIn(b"ended with status 7", again.text)

    def test_ctrl_bracket_twice_is_typed_once_and_other_keys_can_be_chosen(self):
        code = "import os, tty\ntty.setraw(0)\nprint('ready', flush=True)\nprint(repr(os.read(0, 9)), flush=True)\nos.read(0, 1)"
        terminal = self.on(self.jar.command(["/usr/bin/python3", "-c", code])[1])
        terminal.expect(b"ready")
        terminal.write(b"\x1d\x1d")
        terminal.expect(b"b'\\x1d'")
        terminal.write(b"x")
        self.assertEqual(terminal.wait(), 0)
        name, words = self.jar.command(SHELL, options=["--detach-keys", "ctrl-p,ctrl-q"])
        terminal = self.on(words)
        terminal.expect(b"$ ")
        terminal.write(b"echo be\x1dgun$((1+1))\n\x10\x11")
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"detached", terminal.text)
        self.jar.call("stop", "--force", name)
        wrong = self.jar.run(["true"], options=["--detach-keys", "ctrl-foo"])
        self.assertEqual(wrong.status, 125)
        self.assertIn("'ctrl-foo' is no key", wrong.err)

    def test_what_depends_on_a_pipe_cannot_be_detached_and_says_why(self):
        words = self.jar.command(["sh", "-c", "echo ready; read line; echo got $line"])[1]
        terminal = self.on(["/bin/bash", "-c", '"$@" 2> >(cat >/dev/null)', "x", *words])
        terminal.expect(b"ready")
        terminal.write(b"\x1d")
        terminal.expect(b"cannot detach: its standard error is not the terminal")
        terminal.write(b"on\n")
        terminal.expect(b"got on")
        self.assertEqual(terminal.wait(), 0)

    def test_a_session_that_cannot_be_attached_to_is_one_clear_line(self):
        self.succeeds(self.jar.run(["true"], name="gone"))
        piped, process = self.jar.start(["sleep", "100"])
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.jar.wait_until(lambda: any(row["name"] == piped and row["state"] == "running" for row in self.jar.sessions()))
        for session, says in (("gone", "has ended"), ("no-such", "there is none of that id or name"),
                              (piped, "the session has no terminal")):
            terminal = self.on(self.attach_words(session))
            self.assertEqual(terminal.wait(), 1, session)
            self.assertEqual(terminal.text.count(b"\n"), 1, terminal.text)
            self.assertIn(says, terminal.text.decode())
        nowhere = self.jar.call("attach", piped)
        self.assertEqual(nowhere.status, 1)
        self.assertIn("not a terminal", nowhere.err)

    def test_the_screen_of_a_shell_is_restored_with_its_colours_and_its_cursor(self):
        name, words = self.jar.command(SHELL)
        first = self.tmux(words)
        first.expect("$")
        first.keys("printf '\\033[1;31mred\\033[0m \\033[44mblue\\033[K\\033[0m\\n\\033[3mwide 日本 é\\033[0m\\n'; seq 40 44; PS1='now> '", "Enter")
        first.expect("now>")
        first.keys("half a li", "Left", "Left")
        before = first.settled()
        first.keys("C-]")
        first.expect("detached from")
        self.addCleanup(lambda: self.jar.call("stop", "--force", name))
        second = self.tmux(self.attach_words(name))
        second.expect("now>")
        after = second.settled()
        self.assertEqual(after, before)
        second.keys("ne", "Enter")
        second.expect("command not found")

    def test_vim_is_restored_with_its_modes_and_still_edits(self):
        name, words = self.jar.command(["vim", "-u", "NONE", "-N", "--cmd", "set ttimeout ttimeoutlen=20", "notes.txt"])
        with open(self.jar.workspace + "/notes.txt", "w", encoding="utf-8") as file:
            file.write("".join(f"line {n}\n" for n in range(100)))
        first = self.tmux(words)
        first.expect("line 5")
        first.keys("12GOinserted here", "Escape")
        first.expect("inserted here")
        before = first.settled()
        self.assertEqual(first.state("alternate_on"), "1")
        first.keys("C-]")
        first.expect("detached from")
        self.assertEqual(first.state("alternate_on"), "0")
        self.addCleanup(lambda: self.jar.call("stop", "--force", name))
        second = self.tmux(self.attach_words(name))
        second.expect("inserted here")
        self.assertEqual(second.settled(), before)
        self.assertEqual(second.state("alternate_on"), "1")
        second.keys("osecond", "Escape", ":wq", "Enter")
        second.expect("status 0")
        self.assertEqual(second.state("alternate_on"), "0")
        with open(self.jar.workspace + "/notes.txt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[11:14], ["inserted here", "second", "line 11"])

    def test_htop_starts_is_restored_and_quits(self):
        name, words = self.jar.command(["htop"])
        first = self.tmux(words, rows=30, columns=100)
        first.expect("Load average")
        first.keys("C-]")
        first.expect("detached from")
        second = self.tmux(self.attach_words(name), rows=30, columns=100)
        second.expect("Load average")
        second.keys("q")
        second.expect("status 0")

    def test_two_are_attached_at_once_both_type_and_the_smaller_size_rules(self):
        session = self.detached(SHELL)
        one = self.on(self.attach_words(session), rows=40, columns=120)
        one.write(b"stty size\n")
        one.expect(b"40 120")
        two = self.on(self.attach_words(session), rows=30, columns=150)
        two.write(b"stty size\n")
        for terminal in (one, two):
            terminal.expect(b"30 120")
        one.write(b"echo $((40 + 2))\n")
        for terminal in (one, two):
            terminal.expect(b"42")
        two.resize(25, 70)
        time.sleep(0.3)
        one.write(b"stty size\n")
        one.expect(b"25 70")
        two.write(b"\x1d")
        self.assertEqual(two.wait(), 0)
        one.write(b"stty size\n")
        one.expect(b"40 120")
        one.write(b"exit\n")
        self.assertEqual(one.wait(), 0)

    def test_who_only_looks_on_types_nothing(self):
        session = self.detached(SHELL)
        looker = self.on(self.attach_words(session, "--read-only"))
        typist = self.on(self.attach_words(session))
        looker.write(b"touch looked\n")
        typist.write(b"touch typed\n")
        self.jar.wait_for_file("typed")
        self.assertFalse(os.path.exists(self.jar.workspace + "/looked"))
        looker.write(b"\x1d")
        self.assertEqual(looker.wait(), 0)

    def test_one_that_does_not_read_does_not_hold_up_the_other_and_is_drawn_anew(self):
        session = self.detached(SHELL)
        slow, quick = self.on(self.attach_words(session)), self.on(self.attach_words(session))
        quick.expect(b"$")
        os.kill(slow.pid, signal.SIGSTOP)
        quick.write(b"seq 1000000; echo the $((1 + 1)) end\n")
        quick.expect(b"the 2 end", 60)
        os.kill(slow.pid, signal.SIGCONT)
        slow.expect(b"the 2 end", 30)

    def test_resizing_reaches_a_session_that_was_attached_to(self):
        session = self.detached(["/usr/bin/python3", "-c", "import os, signal\nsignal.signal(signal.SIGWINCH, lambda *a: print('size', *os.get_terminal_size(), flush=True))\n"
                                 "print('ready', flush=True)\nwhile True: signal.pause()"])
        terminal = self.on(self.attach_words(session))
        terminal.expect(b"ready")
        terminal.resize(50, 170)
        terminal.expect(b"size 170 50")

    def test_a_client_that_is_killed_leaves_the_session_alone_and_its_terminal_sane(self):
        session = self.detached(SHELL)
        master, slave = os.openpty()
        before = termios.tcgetattr(slave)
        environment = dict(os.environ, TERM="xterm")
        client = subprocess.Popen(self.attach_words(session), stdin=slave, stdout=slave, stderr=slave, env=environment)
        self.jar.wait_until(lambda: termios.tcgetattr(slave) != before)
        time.sleep(0.5)  # the guard has begun
        client.kill()
        client.wait()
        self.jar.wait_until(lambda: termios.tcgetattr(slave) == before)
        shown = b""
        while b"\x1b[?1049l" not in shown:
            self.assertTrue(select.select([master], [], [], 10)[0], shown)
            shown += os.read(master, 65536)
        self.assertEqual([row["state"] for row in self.jar.sessions() if row["id"] == session], ["running"])
        os.close(master), os.close(slave)

    def test_a_killed_run_leaves_a_sane_terminal_and_its_session_ends(self):
        before_all = self.jar.processes()
        master, slave = os.openpty()
        before = termios.tcgetattr(slave)
        client = subprocess.Popen(self.jar.command(["sleep", "1000"])[1], stdin=slave, stdout=slave, stderr=slave)
        self.jar.wait_until(lambda: termios.tcgetattr(slave) != before)
        time.sleep(0.5)
        client.kill()
        client.wait()
        self.jar.wait_until(lambda: termios.tcgetattr(slave) == before)
        self.assertEqual(self.jar.nothing_left(before_all, 8), {})
        os.close(master), os.close(slave)

    def test_a_session_that_dies_with_vim_open_leaves_the_terminal_without_its_modes(self):
        name, words = self.jar.command(["vim", "-u", "NONE", "-N"])
        tmux = self.tmux(words)
        tmux.expect("~")
        self.assertEqual(tmux.state("alternate_on"), "1")
        self.jar.call("stop", "--force", name)
        tmux.expect("status 137")
        self.assertEqual(tmux.state("alternate_on"), "0")

    def test_hundreds_of_megabytes_pass_whole_and_connects_do_not_wait_for_them(self):
        size = 300 << 20
        code = ("import hashlib, os, socket, sys, threading, time, tty\ntty.setraw(1)\n"
                "line = bytes(range(32, 127)) * 3 + b'\\r\\n'\nblock = line * 256\n"
                f"size, sent, digest, worst = {size}, 0, hashlib.sha256(), [0.0]\n"
                "def connects():\n"
                "    while sent < size:\n"
                "        begin = time.monotonic()\n"
                "        s = socket.socket(); s.settimeout(20)\n"
                "        try: s.connect(('203.0.113.1', 443))\n"
                "        except PermissionError: pass\n"
                "        s.close(); worst[0] = max(worst[0], time.monotonic() - begin); time.sleep(0.05)\n"
                "thread = threading.Thread(target=connects); thread.start()\n"
                "while sent < size:\n"
                "    part = memoryview(block)[:size - sent]\n"
                "    n = os.write(1, part); digest.update(part[:n]); sent += n\n"
                "thread.join()\n"
                "open('flood', 'w').write(f'{digest.hexdigest()} {worst[0]}')\n")
        terminal = self.on(self.jar.command(["/usr/bin/python3", "-c", code], options=["-q"])[1])
        digest, got, begin = hashlib.sha256(), 0, time.monotonic()
        while got < size:
            chunk = os.read(terminal.master, 1 << 16)
            digest.update(chunk)
            got += len(chunk)
            self.assertLess(time.monotonic() - begin, 150, f"only {got} bytes")
        self.assertEqual(got, size)
        self.assertEqual(terminal.wait(), 0)
        told, worst = open(self.jar.workspace + "/flood", encoding="ascii").read().split()
        self.assertEqual(digest.hexdigest(), told)
        self.assertLess(float(worst), 1.0)


if __name__ == "__main__":
    main()
