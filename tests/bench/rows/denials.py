"""Denied calls: how long the caller waits, how many a second, and whether the record has every one."""
from .belljar import samples
from .report import median


def measure(belljar, report, short):
    name = belljar.new_name("denials")
    taken = samples(belljar.inside(belljar.probe, "denials", "1000" if short else "200000", name=name))
    made = int(taken["count"][0])
    recorded = sum(event.get("count", 1) for event in belljar.record(name) if event["kind"] == "syscall-denied")
    report.at_most("denied call, answered (median)", median(taken["denied"]), "µs", 10, samples=taken["denied"])
    report.at_least("denied calls, sustained", taken["rate"][0], "/s", 20000)
    report.at_most("denied calls missing from the record", abs(made - recorded), "", 0, note=f"{recorded} of {made} recorded")
