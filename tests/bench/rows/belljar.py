"""The Belljar under measurement: its programs, and state folders of its own so that nobody's sessions are touched."""
import json
import os
import shutil
import subprocess


class Belljar:
    def __init__(self, prefix, probe, folder):
        self.program = os.path.join(prefix, "bin", "belljar")
        self.folder = folder
        self.workspace = os.path.join(folder, "workspace")
        os.mkdir(self.workspace)
        self.environment = dict(os.environ, BELLJAR_STATE_DIR=os.path.join(folder, "state"),
                                BELLJAR_RUNTIME_DIR=os.path.join(folder, "run"),
                                BELLJAR_CONFIG_DIR=os.path.join(folder, "config"))
        for path in (self.program, probe):
            if not os.access(path, os.X_OK):
                raise SystemExit(f"tests/bench/run: {path} is not there: build it first, or see --prefix and --probe")
        # Inside, only the workspace is visible; outside the same file is used.
        self.probe = os.path.join(self.workspace, "probe")
        shutil.copy(probe, self.probe)
        self.sessions = 0

    def run_command(self, command, allow=(), name=None, detach=False):
        """The argument list of `belljar run`."""
        words = [self.program, "run", "-q", "-C", self.workspace]
        if name:
            words += ["-n", name]
        for host in allow:
            words += ["--allow", host]
        if detach:
            words.append("--detach")
        return words + ["--", *command]

    def new_name(self, what):
        self.sessions += 1
        return f"bench-{what}-{self.sessions}"

    def output_of(self, words, timeout=600):
        done = subprocess.run(words, env=self.environment, cwd=self.workspace, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words[:3])} …: status {done.returncode}: {done.stderr.strip()[-400:]}")
        return done.stdout

    def inside(self, *command, allow=(), name=None):
        return self.output_of(self.run_command(command, allow, name))

    def outside(self, *command):
        return self.output_of(list(command))

    def record(self, name):
        """The events of a session, oldest first."""
        return [json.loads(line) for line in self.output_of([self.program, "audit", "show", name, "--json"]).splitlines()]


def samples(text):
    """Lines "key value" of the probe, as lists by key."""
    by_key = {}
    for line in text.splitlines():
        key, value = line.rsplit(" ", 1)
        by_key.setdefault(key, []).append(float(value))
    return by_key
