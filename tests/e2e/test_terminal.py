"""With a terminal the session gets one of its own: sizes, signals and modes work, and the user's is never passed in."""

import fcntl
import os
import pty
import signal
import termios
import time

from world import WorldTest, main
from world.terminal import Terminal


class Terminals(WorldTest):
    def terminal(self, argv, **how):
        terminal = Terminal(self.jar.command(argv)[1], **how)
        self.addCleanup(terminal.close)
        return terminal

    def python(self, code):
        return self.terminal(["/usr/bin/python3", "-c", code])

    def test_all_three_streams_are_one_and_it_is_the_session_s_own(self):
        terminal = self.python("import os\nprint([os.isatty(n) for n in (0, 1, 2)], os.ttyname(0), os.get_terminal_size(), os.getpgrp() == os.tcgetpgrp(0))")
        terminal.expect(b"[True, True, True] /dev/pts/0 os.terminal_size(columns=101, lines=33) True")
        self.assertEqual(terminal.wait(), 0)

    def test_a_shell_can_be_used_with_job_control(self):
        terminal = self.terminal(["bash", "--norc", "--noprofile"])
        terminal.write(b"echo $((6 * 7)); sleep 100\n")
        terminal.expect(b"\r42\r\n")
        time.sleep(0.3)
        terminal.write(b"\x1a")  # Ctrl-Z
        terminal.expect(b"Stopped")
        terminal.write(b"fg\n")
        terminal.expect(b"\rsleep 100\r\n")
        time.sleep(0.3)
        terminal.write(b"\x03exit 5\n")
        self.assertEqual(terminal.wait(), 5)
        self.assertNotIn(b"job control", terminal.text)

    def test_ctrl_z_stops_nothing_where_no_shell_would_continue_it(self):
        terminal = self.python("import time\nprint('ready', flush=True)\nfor _ in range(10): time.sleep(0.1)\nprint('went on')")
        terminal.expect(b"ready")
        terminal.write(b"\x1a")
        terminal.expect(b"went on")
        self.assertEqual(terminal.wait(), 0)

    def test_belljar_itself_can_be_stopped_and_continued_from_a_shell(self):
        terminal = Terminal(["/bin/bash", "--norc", "--noprofile", "-i"])
        self.addCleanup(terminal.close)
        terminal.expect(b"$ ")
        terminal.write(b"PS1='outside'$((1+1))'> '\n")
        terminal.expect(b"outside2> ")
        name, words = self.jar.command(["bash", "--norc", "--noprofile"])
        terminal.write(" ".join(words).encode() + b"; echo status $?\n")
        terminal.expect(b"bash-5.2$ ")
        terminal.write(b"echo $((6 * 7))\n")
        terminal.expect(b"\r42\r\n")
        [pid] = [pid for pid in self.jar.pids_of("belljar") if open(f"/proc/{pid}/stat", encoding="ascii").read().split()[3] == str(terminal.pid)]
        os.kill(pid, signal.SIGTSTP)
        terminal.expect(b"Stopped")
        terminal.expect(b"outside2> ")
        terminal.write(b"echo $((100 + 11))\n")  # the shell has its terminal as it was
        terminal.expect(b"\r111\r\n")
        terminal.write(b"fg\n")
        time.sleep(0.5)
        terminal.write(b"echo $((200 + 22))\n")
        terminal.expect(b"222")
        terminal.write(b"exit 6\n")
        terminal.expect(b"status 6")

    def test_a_new_size_arrives(self):
        terminal = self.python("import os, signal\nsignal.signal(signal.SIGWINCH, lambda *a: print('size', *os.get_terminal_size(), flush=True))\n"
                               "print('ready', flush=True)\nwhile True: signal.pause()")
        terminal.expect(b"ready")
        terminal.resize(50, 170)
        terminal.expect(b"size 170 50")
        terminal.write(b"\x03")
        self.assertNotEqual(terminal.wait(), 0)

    def test_ctrl_c_interrupts_the_command_and_not_belljar(self):
        terminal = self.python("import time\nprint('ready', flush=True)\ntry:\n    while True: time.sleep(9)\nexcept KeyboardInterrupt:\n"
                               "    print('interrupted', flush=True)\n    raise SystemExit(7)")
        terminal.expect(b"ready")
        terminal.write(b"\x03")
        terminal.expect(b"interrupted")
        self.assertEqual(terminal.wait(), 7)

    def test_ctrl_backslash_and_ctrl_d_do_what_they_do(self):
        terminal = self.terminal(["sleep", "100"])
        time.sleep(0.5)
        terminal.write(b"\x1c")
        self.assertEqual(terminal.wait(), 128 + signal.SIGQUIT)
        terminal = self.terminal(["cat"])
        time.sleep(0.5)
        terminal.write(b"line\n\x04")
        self.assertEqual(terminal.wait(), 0)

    def test_raw_mode_and_every_key_pass(self):
        terminal = self.python("import os, tty\ntty.setraw(0)\nprint('ready', flush=True)\nprint(repr(os.read(0, 4)), flush=True)")
        terminal.expect(b"ready")
        terminal.write(b"\x03\x1a\xff\x00")
        terminal.expect(b"b'\\x03\\x1a\\xff\\x00'")
        self.assertEqual(terminal.wait(), 0)

    def test_the_modes_of_the_user_s_terminal_are_restored(self):
        for argv in (["true"], ["sh", "-c", "stty raw -echo; kill -9 $$"]):
            master, slave = pty.openpty()
            before = termios.tcgetattr(slave)
            words = self.jar.command(argv)[1]
            pid = os.fork()
            if pid == 0:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                for number in (0, 1, 2):
                    os.dup2(slave, number)
                os.execv(words[0], words)
            os.waitpid(pid, 0)
            self.assertEqual(termios.tcgetattr(slave), before)
            os.close(master), os.close(slave)

    def test_input_cannot_be_pushed_into_the_user_s_terminal(self):
        code = ("import ctypes, fcntl, os\nl = ctypes.CDLL(None, use_errno=True)\n"
                "print('pushed', [l.syscall(ctypes.c_long(16), ctypes.c_long(0), ctypes.c_long(r), ctypes.c_char_p(b'x')) for r in (0x5412, 0x100005412, 0x541c)])")
        terminal = self.python(code)
        terminal.expect(b"pushed [-1, -1, -1]")
        self.assertEqual(terminal.wait(), 0)

    def test_output_may_be_redirected_while_the_input_is_a_terminal(self):
        target = self.world.base + "/redirected"
        words = self.jar.command(["/usr/bin/python3", "-c", "import os\nprint([os.isatty(n) for n in (0, 1, 2)])"])[1]
        terminal = Terminal(["/bin/sh", "-c", '"$@" >' + target, "x", *words])
        self.addCleanup(terminal.close)
        self.assertEqual(terminal.wait(), 0)
        with open(target, encoding="ascii") as file:
            self.assertEqual(file.read(), "[True, False, True]\n")

    def test_a_large_output_is_whole(self):
        terminal = self.python("for i in range(100000): print(i)\nprint('the end', flush=True)")
        text = terminal.expect(b"the end", 60)
        self.assertEqual([int(word) for word in text.split()], list(range(100000)))
        self.assertEqual(terminal.wait(), 0)

    def test_when_the_terminal_goes_away_the_session_ends(self):
        before = self.jar.processes()
        terminal = Terminal(self.jar.command(["sh", "-c", "trap '' HUP; echo ready; while :; do sleep 1; done"])[1])
        terminal.expect(b"ready")
        terminal.close()
        os.waitpid(terminal.pid, 0)
        self.assertEqual(self.jar.nothing_left(before, 7), {})


if __name__ == "__main__":
    main()
