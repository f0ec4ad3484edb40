"""What an idle session keeps in memory: every process of ours that came with it, the command's own not counted."""
import ctypes
import os
import re
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt():
    """What is started from here and left behind becomes a child of this process, and so can be told from other sessions."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def state_and_parent(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        state, parent = file.read().rpartition(")")[2].split()[:2]
    return state, int(parent)


def descendants():
    """pid → name of every process below this one, zombies aside."""
    parents, names = {}, {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            state, parents[pid] = state_and_parent(pid)
            if state == "Z":
                continue
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                names[pid] = file.read().strip()
        except OSError:  # it ended meanwhile
            continue

    def is_below(pid):
        while pid in parents:
            pid = parents[pid]
            if pid == os.getpid():
                return True
        return False

    return {pid: names[pid] for pid in names if is_below(pid)}


def proportional_kib(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        return int(re.search(r"^Pss:\s+(\d+)", file.read(), re.MULTILINE)[1])


def resident_kib(pid):
    with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def measure(belljar, report, short):
    adopt()
    name = belljar.new_name("idle")
    belljar.output_of(belljar.run_command(["sleep", "300"], name=name, detach=True))
    try:
        time.sleep(1 if short else 5)
        ours = {pid: comm for pid, comm in descendants().items() if comm != "sleep"}
        if not ours:
            raise RuntimeError("no process of the session was found")
        note = ", ".join(sorted(ours.values()))
        try:
            kib = sum(map(proportional_kib, ours))
        except PermissionError:
            # They are not dumpable, so that only root reads their maps. The resident size is never smaller.
            kib, note = sum(map(resident_kib, ours)), note + ": resident, this user may not read PSS"
        report.at_most("idle session, memory", kib / 1024, "MiB", 4, note=note)
    finally:
        belljar.output_of([belljar.program, "stop", name])
