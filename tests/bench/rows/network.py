"""The door beside direct loopback and tinyproxy, in a network of the benchmark's own: no packet leaves, and the address is
one that is never anybody's (TEST-NET-1)."""
import json
import os
import subprocess
import sys

from .report import median

ADDRESS = "192.0.2.10"


def in_a_world_of_its_own(belljar, short):
    """network_world.py as this user, in a network namespace where ADDRESS is on lo; what it measured."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "network_world.py")
    # The capabilities of the new user namespace are for the two ip commands only.
    setup = (f"ip link set lo up && ip address add {ADDRESS}/24 dev lo && "
             'exec setpriv --inh-caps=-all --ambient-caps=-all "$@"')
    words = ["unshare", "--user", "--map-current-user", "--net", "--keep-caps", "sh", "-ec", setup, "sh",
             sys.executable, script, os.path.dirname(os.path.dirname(belljar.program)), belljar.probe,
             os.path.join(belljar.folder, "world"), "short" if short else "full"]
    os.mkdir(words[-2])
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()[-600:]}")
    return json.loads(done.stdout)


def measure(belljar, report, short):
    taken = in_a_world_of_its_own(belljar, short)
    direct, door = taken["connect_direct"], taken["connect_door"]
    report.add("connect and one byte back, direct", median(direct), "µs", samples=direct)
    report.add("connect and one byte back, door", median(door), "µs", samples=door)
    report.at_most("connect, added by the door", median(door) - median(direct), "µs", 60)

    speeds = {way: median(taken[f"stream_{way}"]) for way in ("direct", "door", "tinyproxy")}
    for way, speed in speeds.items():
        report.add(f"one stream, {way}", speed * 8 / 1e9, "Gbit/s", samples=[s * 8 / 1e9 for s in taken[f"stream_{way}"]])
    report.at_least("one stream, door ÷ direct", speeds["door"] / speeds["direct"], "×", 0.65)
    report.at_least("one stream, door ÷ tinyproxy", speeds["door"] / speeds["tinyproxy"], "×", 3)

    iperf = {way: median(taken[f"iperf3_{way}"]) for way in ("direct", "door")}
    report.add("iperf3, direct", iperf["direct"] / 1e9, "Gbit/s")
    report.add("iperf3, door", iperf["door"] / 1e9, "Gbit/s")
    report.at_least("iperf3, door ÷ direct", iperf["door"] / iperf["direct"], "×", 0.65)
