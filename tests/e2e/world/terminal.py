"""Terminals for tests: a bare pty, and tmux as a terminal emulator that is not ours."""

import errno
import fcntl
import os
import pty
import select
import shlex
import signal
import struct
import subprocess
import termios
import time


class Terminal:
    """Belljar run on a pty, as a terminal emulator would."""

    def __init__(self, words, rows=33, columns=101):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execv(words[0], words)
        self.text = b""

    def read(self, seconds=0.1):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                return True
            try:
                chunk = os.read(self.master, 65536)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                return False
            if not chunk:
                return False
            self.text += chunk
        return True

    def expect(self, what, seconds=10):
        end = time.monotonic() + seconds
        while what not in self.text:
            if not self.read() and what not in self.text:
                raise AssertionError(f"ended without {what!r}: {self.text!r}")
            if time.monotonic() > end:
                raise AssertionError(f"no {what!r} in {self.text!r}")
        before, self.text = self.text.split(what, 1)
        return before

    def write(self, data):
        os.write(self.master, data)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read(0.2)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError(f"still running: {self.text!r}")

    def close(self):
        os.close(self.master)


class Tmux:
    """A terminal emulator with a shell in it that runs one command; what its screen shows can be asked for."""

    def __init__(self, base, words, rows=24, columns=80):
        Tmux.count = getattr(Tmux, "count", 0) + 1
        self.base = ["tmux", "-S", f"{base}/tmux-{Tmux.count}", "-f", "/dev/null"]
        environment = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
        line = " ".join(shlex.quote(word) for word in words) + "; echo status $?; exec sleep 1000"
        subprocess.run([*self.base, "new-session", "-d", "-x", str(columns), "-y", str(rows), line],
                       check=True, env=environment)
        self.call("set-option", "-g", "status", "off")
        self.call("resize-window", "-x", str(columns), "-y", str(rows))

    def call(self, *words):
        return subprocess.run([*self.base, *words], check=True, capture_output=True, text=True).stdout

    def screen(self, colours=False):
        """The lines, and where the cursor is."""
        lines = self.call("capture-pane", "-p", *(["-e"] if colours else [])).split("\n")[:-1]
        while lines and not lines[-1].strip():
            lines.pop()
        return [line.rstrip() for line in lines]

    def state(self, what):
        return self.call("display-message", "-p", "#{" + what + "}").strip()

    def cursor(self):
        return int(self.state("cursor_y")), int(self.state("cursor_x"))

    def keys(self, *keys):
        self.call("send-keys", *keys)

    def expect(self, what, seconds=10):
        end = time.monotonic() + seconds
        while not any(what in line for line in self.screen()):
            if time.monotonic() > end:
                raise AssertionError(f"no {what!r} on the screen:\n" + "\n".join(self.screen()))
            time.sleep(0.05)

    def settled(self, seconds=10):
        """The screen, once it has not changed for a while."""
        end, before = time.monotonic() + seconds, None
        while (now := (self.screen(True), self.cursor())) != before and time.monotonic() < end:
            before = now
            time.sleep(0.3)
        return now

    def close(self):
        subprocess.run([*self.base, "kill-server"], capture_output=True)
