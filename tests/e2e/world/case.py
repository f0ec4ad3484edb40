"""What each test file is made of: one world for the file, its servers started when first asked for."""

import functools
import json
import os
import sys
import unittest

from . import git_server, servers
from .enter import RESOLVER, enter
from .jar import Jar
from .names import NameServer


class World:
    def __init__(self, base, belljar=True):
        self.base = base
        self.home = base + "/home"
        self.names = NameServer(RESOLVER, servers.ZONE)
        self.jar = Jar(base) if belljar else None

    @functools.cached_property
    def authority(self):
        os.makedirs(self.base + "/ca")
        authority = servers.Authority(self.base + "/ca", sorted(servers.ZONE) + ["only-in-certificate.example"])
        if self.jar:  # clients inside find it in the workspace
            with open(authority.file, "rb") as source, open(self.jar.workspace + "/ca.pem", "wb") as target:
                target.write(source.read())
        return authority

    @functools.cached_property
    def web(self):
        return servers.WebServer(self.base + "/web", self.authority)

    @functools.cached_property
    def ssh(self):
        return servers.SshServer(self.base + "/ssh")

    @functools.cached_property
    def jump(self):
        """A second sshd, from which git.example can be reached."""
        return servers.SshServer(self.base + "/jump", servers.JUMP, "jump.example")

    @functools.cached_property
    def git(self):
        return git_server.GitServer(self.base + "/git", self.authority)

    @functools.cached_property
    def denied(self):
        """The denied host: on the usual ports, IPv4 and IPv6."""
        return servers.Witness([servers.DENIED, servers.DENIED6], [22, 53, 80, 443, 8080])

    def compile(self, source, *options):
        """A C or Go program of tests/e2e/programs, built into the workspace; returns its path."""
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs", source)
        target = os.path.join(self.jar.workspace if self.jar else self.base, source.rsplit(".", 1)[0])
        if source.endswith(".go"):
            environment = dict(os.environ, CGO_ENABLED="0", GOCACHE=self.base + "/gocache", GO111MODULE="off", GOFLAGS="")
            servers.run("env", *(f"{k}={v}" for k, v in environment.items()), "go", "build", "-o", target, path)
        else:
            servers.run("gcc", "-O1", "-Wall", "-Werror", "-o", target, path, *options)
        return target


class WorldTest(unittest.TestCase):
    """`self.world` and `self.jar`; failures say what the run printed."""

    maxDiff = None
    longMessage = True
    world: World
    jar: Jar

    def succeeds(self, result):
        self.assertEqual(result.status, 0, repr(result))
        return result

    def json_of(self, result):
        self.succeeds(result)
        try:
            return json.loads(result.out)
        except ValueError:
            self.fail(f"not JSON: {result!r}")

    def one_event(self, session, kind, **fields):
        found = self.jar.events(session, kind, **fields)
        if len(found) != 1:
            self.fail(f"{len(found)} events {kind} {fields} in:\n" + "\n".join(map(json.dumps, self.jar.events(session))))
        return found[0]


def main(belljar=True):
    """Runs the tests of the calling file in a world of their own; does not return."""
    world = World(enter(), belljar)
    WorldTest.world, WorldTest.jar = world, world.jar
    program = unittest.main(exit=False, verbosity=2, warnings="ignore")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if program.result.wasSuccessful() and program.result.testsRun else 1)
