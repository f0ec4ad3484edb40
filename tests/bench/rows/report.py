"""What was measured, beside its target, as a table and as JSON."""
import os
import platform
import statistics


def median(samples):
    return statistics.median(samples)


def spread(samples):
    """The middle half: how far a median can be trusted."""
    if len(samples) < 4:
        return [min(samples), max(samples)]
    quarters = statistics.quantiles(samples, n=4)
    return [quarters[0], quarters[2]]


class Report:
    def __init__(self):
        self.rows = []

    def add(self, name, value, unit, target=None, met=None, samples=None, note=""):
        """`target` in words; `met` whether the value meets it."""
        row = {"name": name, "value": value, "unit": unit}
        if samples:
            row["samples"] = len(samples)
            row["middle_half"] = spread(samples)
        if target:
            row["target"] = target
            row["met"] = bool(met)
        if note:
            row["note"] = note
        self.rows.append(row)

    def at_most(self, name, value, unit, limit, **more):
        self.add(name, value, unit, target=f"<= {limit:g}", met=value <= limit, **more)

    def at_least(self, name, value, unit, limit, **more):
        self.add(name, value, unit, target=f">= {limit:g}", met=value >= limit, **more)

    def as_json(self):
        machine = {"kernel": platform.release(), "processors": os.cpu_count(), "load": os.getloadavg()[0]}
        return {"machine": machine, "rows": self.rows}

    def table(self):
        lines = [f"{'WHAT':<58}{'VALUE':>12} {'UNIT':<8}{'TARGET':<10}"]
        for row in self.rows:
            met = "" if "met" not in row else ("met" if row["met"] else "MISSED")
            line = f"{row['name']:<58}{row['value']:>12.2f} {row['unit']:<8}{row.get('target', ''):<10}{met:<7}{row.get('note', '')}"
            lines.append(line.rstrip())
        return "\n".join(lines)
