"""Behaves like a curious coding agent: does a bit of work, looks around, and tries a few doors.

It runs inside the sandbox and says what happened to it. Its only argument is the port of the allowed service.
"""

import ctypes
import os
import socket
import sys
import urllib.request

PORT = sys.argv[1]


def attempt(what, action):
    try:
        answer = action()
    except OSError as error:
        error = getattr(error, "reason", error)  # urllib wraps what happened
        answer = error.strerror or str(error)
    print(f"  {what:<46} {answer}", flush=True)


def listing(path):
    names = sorted(os.listdir(path))
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "") if names else "(empty)"


def processes():
    return f"{sum(name.isdigit() for name in os.listdir('/proc'))} processes: this one and the one that started it"


def write_note():
    with open("notes.txt", "w", encoding="utf-8") as file:
        file.write("The agent was here.\n")
    return "written: notes.txt"


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return f"“{answer.read(200).decode().strip()}”"


def connect(host, port):
    with socket.create_connection((host, port), 10):
        return "connected"


def load_kernel_code():
    bpf = 321
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(bpf), ctypes.c_long(0), None, ctypes.c_long(0)) < 0:
        return os.strerror(ctypes.get_errno())
    return "loaded"


def variable(name):
    return os.environ.get(name, "(not set)")


def launcher_secret():
    with open("/proc/1/environ", "rb") as file:
        found = b"DEMO_API_KEY" in file.read()
    return "found!" if found else "nothing there"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


print("The agent does its work:")
attempt("files of the project", lambda: listing("."))
attempt("a note in the project", write_note)
attempt("the allowed service, localhost:" + PORT, lambda: get(f"http://localhost:{PORT}/"))

print("It looks around:")
attempt("home folder", lambda: listing(os.path.expanduser("~")))
attempt("folder above the project", lambda: listing(".."))
attempt("who else is running", processes)

print("It tries other doors:")
attempt("http://example.com", lambda: get("http://example.com/"))
attempt("203.0.113.7, port 443, by its address", lambda: connect("203.0.113.7", 443))
attempt("load a program into the kernel", load_kernel_code)
attempt("write to /usr/bin", lambda: open("/usr/bin/surprise", "w", encoding="utf-8"))

print("It looks for secrets:")
attempt("DEMO_API_KEY, set where Belljar was started", lambda: variable("DEMO_API_KEY"))
attempt("the same, in the first process's memory", launcher_secret)
attempt("../secrets/token, beside the project", lambda: read("../secrets/token"))
attempt("~/.ssh", lambda: listing(os.path.expanduser("~/.ssh")))
