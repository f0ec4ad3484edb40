"""64 sessions at once: how long each takes to start, what it keeps in memory, and what one busy session notices of 63 others."""
import subprocess
import time

from .belljar import samples
from .memory import adopt, descendants, proportional_kib, resident_kib
from .report import median


def started_in(belljar, name):
    """Seconds until a detached session's command runs (that is when `run --detach` returns)."""
    words = belljar.run_command(["sleep", "600"], name=name, detach=True)
    begun = time.monotonic()
    belljar.output_of(words)
    return time.monotonic() - begun


def busy(belljar, short):
    """Medians of one session's own work: allowed calls."""
    calls = samples(belljar.inside(belljar.probe, "calls", "2" if short else "15"))
    return {name: median(values) for name, values in calls.items()}


def memory_each(count):
    ours = [pid for pid, comm in descendants().items() if comm != "sleep"]
    try:
        return sum(map(proportional_kib, ours)) / count, "PSS"
    except PermissionError:
        return sum(map(resident_kib, ours)) / count, "resident, this user may not read PSS"


def stop(belljar, names):
    for start in range(0, len(names), 16):
        subprocess.run([belljar.program, "stop", "--force", *names[start:start + 16]], env=belljar.environment, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=False)


def measure(belljar, report, short):
    adopt()
    count, names, seconds = (8 if short else 64), [], []
    alone = busy(belljar, short)
    try:
        for _ in range(count):
            names.append(belljar.new_name("many"))
            seconds.append(started_in(belljar, names[-1]))
        report.add("the first of many sessions starts", median(seconds[:4]) * 1000, "ms", samples=[s * 1000 for s in seconds[:4]])
        report.at_most(f"session {count} ÷ the first", median(seconds[-4:]) / median(seconds[:4]), "×", 2)
        kib, how = memory_each(count)
        report.at_most(f"one of {count} idle sessions, memory", kib / 1024, "MiB", 4, note=how)
        stop(belljar, [names.pop()])
        among = busy(belljar, short)
        for name, value in alone.items():
            report.add(f"{name}, busy among {count - 1} ÷ alone", among[name] / value, "×")
    finally:
        stop(belljar, names)
