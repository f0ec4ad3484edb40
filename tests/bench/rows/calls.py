"""System calls that are allowed, inside ÷ outside."""
from .belljar import samples
from .report import median

TARGETS = {"getppid": 1.2, "open+close": 1.8}


def measure(belljar, report, short):
    inside, outside = {}, {}
    # Inside and outside take turns, as a whole process each.
    for _ in range(1 if short else 7):
        for place, into in ((belljar.outside, outside), (belljar.inside, inside)):
            for key, values in samples(place(belljar.probe, "calls", "2" if short else "15")).items():
                into.setdefault(key, []).extend(values)
    for key, limit in TARGETS.items():
        report.add(f"{key} outside", median(outside[key]), "ns", samples=outside[key])
        report.add(f"{key} inside", median(inside[key]), "ns", samples=inside[key])
        report.at_most(f"{key} inside ÷ outside", median(inside[key]) / median(outside[key]), "×", limit)
