#!/usr/bin/python3
"""The demonstration: a small project, a small service on this machine's loopback, and an agent that is too curious.

Usage: show.py BELLJAR      the path of the built `belljar`
Everything it makes lies in a temporary folder, except the session's record, which is kept like any other.
"""

import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = b"Hello from the one service this session may use.\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def heading(text):
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    print(f"\n{bold}{text}{plain}", flush=True)


def belljar(program, *words, **how):
    return subprocess.run([program, *words], stdin=subprocess.DEVNULL, check=False, **how).returncode


def make_project(folder):
    project = folder + "/project"
    os.makedirs(project + "/src")
    os.mkdir(folder + "/secrets")
    for path, text in ((project + "/README", "A small project.\n"), (project + "/src/main.c", "int main(void) { return 0; }\n"),
                       (folder + "/secrets/token", "planted-secret-1b7e\n")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    shutil.copy(HERE + "/agent.py", project + "/agent.py")
    return project


def show(program, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port, name = server.server_port, f"demo-{os.getpid()}"
    project = make_project(folder)

    heading("1. A curious agent runs in the sandbox. It may use one service of this machine, and nothing else.")
    environment = dict(os.environ, DEMO_API_KEY="planted-secret-1b7e")
    status = belljar(program, "run", "-C", project, "-p", HERE + "/policy.toml", "-n", name, "--allow", f"host:{port}", "--",
                     "/usr/bin/python3", "agent.py", str(port), env=environment)
    if status != 0:
        print(f"\nThe session ended with status {status}. `belljar doctor` says what this machine is missing.", file=sys.stderr)
        return status

    heading("2. Its record: what it did, and what it was refused.")
    if belljar(program, "audit", "show", name):
        return 1
    heading("3. Whether anybody changed the record afterwards.")
    if belljar(program, "audit", "verify", name):
        return 1
    heading("Now yours:")
    print(f"  PATH={os.path.dirname(program)}:$PATH")
    for command, what in (("belljar run -- bash", "a shell in the sandbox, in this folder"),
                          ("belljar run --allow github.com -- COMMAND", "one that may reach github.com"),
                          ("belljar ls --all", "all sessions so far"), ("belljar --help", "everything else")):
        print(f"  {command:<44}{what}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="belljar-demo-") as made:
        sys.exit(show(os.path.abspath(sys.argv[1]), os.path.realpath(made)))
