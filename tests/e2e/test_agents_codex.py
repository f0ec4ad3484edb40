"""Codex inside: its help, its login screen, a turn of work, its own sandbox, an end by Ctrl-C."""

import os

from world import main
from world.agents import LAST_WORDS, MADE, PROMPT, SHELL, SLEEP, AgentTest, Step
from world.openai import OpenAI


class Codex(AgentTest):
    program, api_type = "codex", OpenAI
    allow = ("api.openai.com", "chatgpt.com", "auth.openai.com")
    key = "CODEX_API_KEY"
    authority = "CODEX_CA_CERTIFICATE"
    exec_mode = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT)

    def shell(self, command, result=""):
        return Step("exec", f"const done = await tools.exec_command({{cmd: {command!r}}}); text(done.output);".replace("\\'", "'"), result)

    def write(self, name, content):
        patch = f"*** Begin Patch\n*** Add File: {name}\n+{content}*** End Patch"
        return Step("exec", f"text(await tools.apply_patch({patch!r}));")

    def test_says_its_version_and_its_help(self):
        self.says_version_and_help("@openai/codex", "Usage: codex")

    def test_shows_its_login_screen(self):
        _, screen = self.screen(with_key=False)
        screen.wait_for("Sign in with ChatGPT")
        screen.leave()

    def test_does_a_turn_of_work_with_its_tools(self):
        self.api.plan(PROMPT, self.steps_of(self.shell, self.write), LAST_WORDS)
        self.api.web_sockets = 0
        run = self.agent(*self.exec_mode)
        self.has_done_the_turn(run)
        self.assertEqual(self.api.web_sockets, 1)
        self.assertTrue(self.jar.events(run.name, "dns", name="github.com", verdict="denied"))

    def test_its_own_sandbox_is_refused_inside_and_nothing_runs_without_it(self):
        """Namespaces cannot be made inside; who does not switch Codex's sandbox off gets a refusal of each command, not less."""
        self.api.plan(PROMPT, [self.shell(SHELL, "No permissions to create new namespace")], LAST_WORDS)
        arguments = [word for word in self.exec_mode if word != "--dangerously-bypass-approvals-and-sandbox"]
        run = self.succeeds(self.agent("--sandbox", "workspace-write", *arguments))
        self.assertEqual(self.api.complaints, [])
        self.assertEqual(len(self.api.results), 1)
        self.assertFalse(os.path.exists(self.jar.workspace + "/" + MADE))
        self.assertTrue(any(event["exe"].endswith("/bwrap") for event in self.jar.events(run.name, "syscall-denied", syscall="clone")))

    def test_an_interrupted_turn_leaves_nothing_running(self):
        self.interrupted(self.shell(SLEEP), *self.exec_mode)


if __name__ == "__main__":
    main()
