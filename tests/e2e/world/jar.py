"""Belljar as a user meets it: its command line, and nothing below it."""

import json
import os
import subprocess
import time

from .servers import wait_for


class Result:
    """How a run ended: its status, what it wrote (text), and under which name its record is found."""

    def __init__(self, name, status, out, err):
        self.name, self.status, self.out, self.err = name, status, out, err

    def __repr__(self):
        return f"status {self.status}\n--- output\n{self.out[-3000:]}\n--- errors\n{self.err[-3000:]}"


class Jar:
    def __init__(self, base):
        prefix = os.environ.get("BELLJAR_PREFIX")
        if not prefix:
            raise RuntimeError("BELLJAR_PREFIX must name the folder Belljar was built or installed in")
        self.program = prefix + "/bin/belljar"
        self.libexec = prefix + "/libexec/belljar"
        if not os.access(self.program, os.X_OK):
            raise RuntimeError(f"{self.program} is not there or may not be executed")
        self.base, self.workspace = base, base + "/projects/project"
        os.makedirs(self.workspace, exist_ok=True)
        self.count = 0

    # Policies ---------------------------------------------------------------------------------------------------------
    def policy(self, allow=(), private=(), deny=(), more=""):
        """Writes a policy file outside of the workspace; `more` is TOML that follows the [egress] table."""
        self.count += 1
        path = f"{self.base}/config/test-{self.count}.toml"
        lists = "".join(f"{key} = {json.dumps(list(value))}\n" for key, value in
                        (("allow", allow), ("private", private), ("deny", deny)) if value)
        with open(path, "w", encoding="utf-8") as file:
            file.write("version = 1\n" + ("[egress]\n" + lists if lists else "") + more)
        return path

    # Sessions ---------------------------------------------------------------------------------------------------------
    def command(self, argv, policy=None, options=(), allow=(), name=None, workspace=None):
        self.count += 1
        name = name or f"run-{self.count}"
        words = [self.program, "run", "-C", workspace or self.workspace, "-n", name]
        if policy:
            words += ["-p", policy]
        for host in allow:
            words += ["--allow", host]
        return name, words + list(options) + ["--"] + list(argv)

    def run(self, argv, stdin=subprocess.DEVNULL, timeout=60, binary=False, environment=None, **how):
        """Runs to the end. `how`: policy, options, allow, name, workspace. A str for stdin is written into a pipe."""
        name, words = self.command(argv, **how)
        given = {"input": stdin} if isinstance(stdin, (str, bytes)) else {"stdin": stdin}
        if isinstance(stdin, str):
            given["input"] = stdin.encode()
        done = subprocess.run(words, capture_output=True, timeout=timeout, env=environment, **given)
        if binary:
            return Result(name, done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        return Result(name, done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def start(self, argv, stdin=subprocess.DEVNULL, **how):
        """Starts a foreground session and returns (name, Popen)."""
        name, words = self.command(argv, **how)
        return name, subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def python(self, code, *arguments, **how):
        """Runs Python code inside."""
        return self.run(["/usr/bin/python3", "-c", code, *arguments], **how)

    def call(self, *words, timeout=60):
        done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=timeout)
        return Result(words[-1], done.returncode, done.stdout, done.stderr)

    # Records ----------------------------------------------------------------------------------------------------------
    def events(self, session, kind=None, **fields):
        """The session's events, of one kind and with the given fields where named."""
        shown = self.call("audit", "show", session, "--json")
        if shown.status != 0:
            raise AssertionError(f"audit show {session}: {shown!r}")
        found = [json.loads(line) for line in shown.out.splitlines() if line.strip()]
        return [e for e in found if (kind is None or e["kind"] == kind) and all(e.get(k) == v for k, v in fields.items())]

    def denials(self, session, port=None, ip=None, host=None):
        given = {k: v for k, v in (("port", port), ("ip", ip), ("host", host)) if v is not None}
        return self.events(session, "egress", verdict="denied", **given)

    def sessions(self):
        listed = self.call("ls", "--all", "--json")
        if listed.status != 0:
            raise AssertionError(f"ls --all --json: {listed!r}")
        value = json.loads(listed.out) if listed.out.lstrip().startswith("[") else \
            [json.loads(line) for line in listed.out.splitlines() if line.strip()]
        return value["sessions"] if isinstance(value, dict) else value

    def id_of(self, name):
        return next(row["id"] for row in self.sessions() if row["name"] == name)

    def folder(self, name):
        return f"{self.base}/state/sessions/{self.id_of(name)}"

    # Processes --------------------------------------------------------------------------------------------------------
    @staticmethod
    def processes():
        """{pid: command line} of every process in the world that is no zombie."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                state = open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace").read().rsplit(")", 1)[1].split()[0]
                words = open(f"/proc/{entry}/cmdline", "rb").read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
                comm = open(f"/proc/{entry}/comm", encoding="utf-8", errors="replace").read().strip()
            except OSError:
                continue
            if state != "Z":
                found[int(entry)] = words or f"[{comm}]"
        return found

    def pids_of(self, comm, since=()):
        """Processes by their kernel name (15 bytes), without those in `since`."""
        found = []
        for pid in self.processes():
            try:
                if open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace").read().strip() == comm[:15] and pid not in since:
                    found.append(pid)
            except OSError:
                pass
        return found

    def nothing_left(self, before, seconds=1.0):
        """Waits at most a second until no process is there that was not before."""
        end = time.monotonic() + seconds
        while True:
            left = {pid: words for pid, words in self.processes().items() if pid not in before}
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.02)

    @staticmethod
    def wait_until(holds, seconds=10.0):
        return wait_for(holds, "what was waited for", seconds)

    def wait_for_file(self, name, seconds=10.0):
        path = os.path.join(self.workspace, name)
        return wait_for(lambda: os.path.exists(path), f"{name} in the workspace", seconds)
