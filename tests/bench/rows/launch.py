"""Whole processes that do nothing: what a sandbox adds before and after a command."""
import shutil

from .belljar import samples
from .report import median

BWRAP = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
FIREJAIL = ["firejail", "--quiet", "--noprofile", "--net=none", "true"]


def measure(belljar, report, short):
    commands = [("true", ["true"]), ("belljar run -- true", belljar.run_command(["true"])), ("bwrap true", BWRAP)]
    if shutil.which("bwrap") is None:
        raise RuntimeError("bwrap is missing: install bubblewrap")
    if shutil.which("firejail"):
        try:
            belljar.outside(*FIREJAIL)
            commands.append(("firejail true", FIREJAIL))
        except RuntimeError as error:  # it refuses where it is not setuid, or inside a container
            report.add("firejail true: did not run", 0, "", note=str(error)[:60])
    words = [belljar.probe, "launch", "5" if short else "200"]
    for _, command in commands:
        words += ["---", *command]
    taken = samples(belljar.outside(*words))
    medians = {}
    for index, (name, _) in enumerate(commands):
        of_one = taken[str(index)]
        medians[name] = median(of_one)
        report.add(name, medians[name] / 1000, "ms", samples=of_one)
    report.at_most("belljar ÷ bwrap", medians["belljar run -- true"] / medians["bwrap true"], "×", 1.0)
    if "firejail true" in medians:
        report.add("belljar ÷ firejail", medians["belljar run -- true"] / medians["firejail true"], "×")
