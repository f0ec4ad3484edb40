"""A program on a terminal that answers what full-screen programs ask of one: tmux, with one pane, read as text."""

import itertools
import os
import subprocess
import time

from .servers import run, wait_for

numbers = itertools.count(1)


class Screen:
    """Runs the words at once; `text()` is what a person would see."""

    def __init__(self, base, words, environment, rows=45, columns=120):
        self.socket = f"{base}/screen-{next(numbers)}"
        settings = self.socket + ".conf"
        with open(settings, "w", encoding="ascii") as file:
            file.write("set -g remain-on-exit on\nset -g default-terminal screen-256color\nset -sg escape-time 0\n")
        done = subprocess.run(["tmux", "-S", self.socket, "-f", settings, "new-session", "-d", "-x", str(columns), "-y", str(rows), "--", *words],
                              env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"tmux: {done.stderr.strip()}")

    def tmux(self, *words):
        return run("tmux", "-S", self.socket, *words)

    def text(self):
        return "\n".join(line.rstrip() for line in self.tmux("capture-pane", "-p", "-J").splitlines() if line.strip())

    def wait_for(self, *words, seconds=90):
        """Until one of these is on the screen; says which."""
        def there():
            text = self.text()
            found = [word for word in words if word in text]
            if not found and self.status() is not None:
                raise AssertionError(f"ended with {self.status()} without {words}:\n{self.text()}")
            return found
        try:
            return wait_for(there, f"{words} on the screen", seconds)[0]
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{self.text()}") from None

    def keys(self, *names):
        """Names as tmux has them: Enter, C-c, Down, a text."""
        self.tmux("send-keys", *names)

    def status(self):
        """The exit status, or None while the program runs."""
        dead, status = (self.tmux("display-message", "-p", "#{pane_dead} #{pane_dead_status}").split() + [""])[:2]
        return int(status or -1) if dead == "1" else None

    def ended(self, seconds=30):
        try:
            return wait_for(lambda: None if (status := self.status()) is None else [status], "the end of the program", seconds)[0]
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{self.text()}") from None

    def leave(self, seconds=40):
        """Presses Ctrl-C twice, as programs want it, not too close and not too far apart, until it ends; returns the status."""
        def left():
            for pause in (0.4, 1.5):
                if (status := self.status()) is None:
                    self.keys("C-c")
                    time.sleep(pause)
            return None if status is None else [status]
        try:
            return wait_for(left, "the end by Ctrl-C", seconds)[0]
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{self.text()}") from None

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)
        if os.path.exists(self.socket):
            os.unlink(self.socket)
