"""Run by network.py inside its network namespace: starts the servers, measures, prints JSON."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rows.belljar import Belljar, samples  # noqa: E402
from rows.network import ADDRESS  # noqa: E402

BYTE_PORT, SINK_PORT, IPERF_PORT, PROXY_PORT = 7001, 7002, 5201, 8888
PROXY_CONFIGURATION = f"""Port {PROXY_PORT}
Listen {ADDRESS}
Timeout 600
MaxClients 20
LogLevel Critical
DisableViaHeader Yes
"""


@contextlib.contextmanager
def server(words, port):
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection((ADDRESS, port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise RuntimeError(f"{words[0]} does not listen") from None
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def measure_connects(belljar, taken, short):
    count = "50" if short else "1000"
    words = [belljar.probe, "connect", ADDRESS, str(BYTE_PORT), count]
    for _ in range(1 if short else 5):
        taken["connect_direct"] += samples(belljar.outside(*words))["connect"]
        taken["connect_door"] += samples(belljar.inside(*words, allow=[f"{ADDRESS}:{BYTE_PORT}"]))["connect"]


def measure_streams(belljar, taken, short):
    words = [belljar.probe, "stream", ADDRESS, str(SINK_PORT), "0.3" if short else "3"]
    for _ in range(1 if short else 5):
        taken["stream_direct"] += samples(belljar.outside(*words))["bytes_per_second"]
        taken["stream_door"] += samples(belljar.inside(*words, allow=[f"{ADDRESS}:{SINK_PORT}"]))["bytes_per_second"]
        taken["stream_tinyproxy"] += samples(belljar.outside(*words, str(PROXY_PORT)))["bytes_per_second"]


def measure_iperf3(belljar, taken, short):
    words = ["iperf3", "-c", ADDRESS, "-p", str(IPERF_PORT), "-t", "1" if short else "4", "-J"]
    for _ in range(1 if short else 3):
        for way, place in (("direct", belljar.outside), ("door", lambda *w: belljar.inside(*w, allow=[f"{ADDRESS}:{IPERF_PORT}"]))):
            taken[f"iperf3_{way}"].append(json.loads(place(*words))["end"]["sum_received"]["bits_per_second"])


def main():
    prefix, probe, folder, how = sys.argv[1:]
    short = how == "short"
    belljar = Belljar(prefix, probe, folder)
    configuration = os.path.join(folder, "tinyproxy.conf")
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(PROXY_CONFIGURATION)
    taken = {f"{what}_{way}": [] for what in ("connect", "stream", "iperf3") for way in ("direct", "door", "tinyproxy")}
    with server([belljar.probe, "serve", ADDRESS, str(BYTE_PORT), str(SINK_PORT)], BYTE_PORT), \
         server(["tinyproxy", "-d", "-c", configuration], PROXY_PORT), \
         server(["iperf3", "-s", "-B", ADDRESS, "-p", str(IPERF_PORT)], IPERF_PORT):
        measure_connects(belljar, taken, short)
        measure_streams(belljar, taken, short)
        measure_iperf3(belljar, taken, short)
    print(json.dumps(taken))


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        sys.exit(str(problem))
