"""What the tests of the agents share: each runs as its users run it, under its built-in policy, against a stand-in of its API.

Beside the policy two things are given to it: its folder (`--read`), as it was installed for the tests alone, and the authority
of the world, by the variable with which a user names the authority of a company's network.
"""

import json
import os

from .api import Step
from .case import WorldTest
from .npm_tools import FOLDER, installed, node
from .screen import Screen
from .servers import wait_for

PROMPT = "Please do the work 4711."
LAST_WORDS = "The work is done, all of it."
MADE = "made.txt"
SHELL = f"expr 6 '*' 7 | tee {MADE}"
DENIED = "curl -sS https://denied.example/ 2>&1; echo ended with $?"
SLEEP = "python3 -c 'import time; time.sleep(4711)'"


class AgentTest(WorldTest):
    program: str       # its name, which is its policy's as well
    key: str           # the variable with the API's key
    authority: str     # the variable that names one more certificate authority
    api_type: type

    @classmethod
    def setUpClass(cls):
        cls.api = cls.api_type(cls.world)

    def setUp(self):
        self.world.denied.seen.clear()
        self.api.plan(None, [], "")
        if os.path.exists(made := self.jar.workspace + "/" + MADE):
            os.unlink(made)

    # Running it -------------------------------------------------------------------------------------------------------
    def given(self, with_key=True):
        """(environment, options of `belljar run`)"""
        installed(".bin/" + self.program)
        own = {self.authority: self.api.ca, **({self.key: self.api.key} if with_key else {})}
        environment = dict(os.environ, PATH=":".join((FOLDER + "/node_modules/.bin", os.path.dirname(node()), os.environ["PATH"])), **own)
        return environment, ["--read", FOLDER, "--read", self.api.ca]

    def agent(self, *arguments, with_key=True, timeout=110, stdin=None, policy=None):
        environment, options = self.given(with_key)
        how = {"stdin": stdin} if stdin is not None else {}
        return self.jar.run([self.program, *arguments], policy=policy or "agent-" + self.program, options=options, environment=environment,
                            timeout=timeout, **how)

    def screen(self, *arguments, with_key=True):
        """The same on a terminal; returns the session's name and the screen."""
        environment, options = self.given(with_key)
        name, words = self.jar.command([self.program, *arguments], policy="agent-" + self.program, options=options)
        screen = Screen(self.world.base, words, environment)
        self.addCleanup(screen.close)
        return name, screen

    # What is looked for -----------------------------------------------------------------------------------------------
    def says_version_and_help(self, package, words):
        with open(installed(package + "/package.json"), encoding="utf-8") as file:
            version = json.load(file)["version"]
        self.assertIn(version, self.succeeds(self.agent("--version", with_key=False)).out)
        run = self.succeeds(self.agent("--help", with_key=False))
        self.assertIn(words, run.out + run.err)

    def steps_of(self, shell, write):
        """The turn: a command, a file by the agent's own tool, a command that wants to get out. `shell`, `write` make Steps."""
        return [shell(SHELL, "42"), write("second.txt", "by the agent\n"), shell(DENIED, "Could not resolve host")]

    def has_done_the_turn(self, run):
        """All that a turn of work leaves behind, here, at the API, and in the record."""
        self.succeeds(run)
        self.assertIn(LAST_WORDS, run.out)
        self.assertEqual(self.api.complaints, [])
        self.assertGreaterEqual(self.api.ended, 1, self.api.paths())
        self.assertEqual(len(self.api.results), 3, self.api.results)
        for name, content in ((MADE, "42\n"), ("second.txt", "by the agent\n")):
            with open(self.jar.workspace + "/" + name, encoding="utf-8") as file:
                self.assertEqual(file.read().rstrip("\n"), content.rstrip("\n"))
        allowed = {event["host"] for event in self.jar.events(run.name, "egress", verdict="allowed")}
        self.assertIn(self.api.hosts[0], allowed)
        self.assertLessEqual(allowed, set(self.api.hosts))
        self.assertTrue(self.jar.events(run.name, "dns", name="denied.example", verdict="denied"))
        self.assertEqual(self.world.names.asked("denied.example"), [])
        self.assertEqual(self.world.denied.seen, [])

    def is_denied(self, name, host):
        """What the program asks for by itself, and the policy leaves out on purpose; the session may still run."""
        wait_for(lambda: self.jar.events(name, "dns", name=host, verdict="denied"), f"a denial of {host}", 30)

    def interrupted(self, step, *arguments):
        """A turn whose command sleeps is broken off by Ctrl-C: the agent ends, and with the session all that it started."""
        before = self.jar.processes()
        self.api.plan(PROMPT, [step], LAST_WORDS)
        name, screen = self.screen(*arguments)
        try:
            wait_for(lambda: any("python3 -c import time; time.sleep(4711)" in words for words in self.jar.processes().values()), "the agent's command", 90)
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{screen.text()}\n{self.api.paths()}\n{self.api.complaints}") from None
        screen.keys("C-c")
        status = screen.ended(40)
        screen.close()
        self.assertEqual(self.jar.nothing_left(before, 5), {})
        self.assertEqual(self.api.ended, 0)
        return name, status
