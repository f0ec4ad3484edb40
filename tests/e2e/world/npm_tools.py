"""The programs that come from npm: installer/npm-tools.sh puts them into build/npm, and `--read` makes them visible inside."""

import os

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDER = os.environ.get("BELLJAR_NPM_TOOLS", TOP + "/build/npm")


def installed(path):
    """The place of a program in the folder, such as 'npm/bin/npm-cli.js'; to be there is part of the test."""
    whole = os.path.join(FOLDER, "node_modules", path)
    if not os.path.exists(whole):
        raise AssertionError(f"{whole} is not there: installer/npm-tools.sh installs it")
    return whole


def for_this_machine(package):
    """The name of a package of which there is one for each kind of processor."""
    return package + {"x86_64": "-x64", "aarch64": "-arm64"}[os.uname().machine]


def node():
    """The node from npm, newer than the distribution's."""
    return installed(for_this_machine("node-linux") + "/bin/node")
