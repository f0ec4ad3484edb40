"""Codex inside, under the policy agent-codex: its help, its login screen, a login that lasts, a turn of work, what becomes of its
own sandbox, and an end by Ctrl-C."""

import os

from world import main
from world.agents import LAST_WORDS, MADE, PROMPT, SHELL, SLEEP, AgentTest, Step
from world.openai import OpenAI


class Codex(AgentTest):
    program, api_type = "codex", OpenAI
    key = "CODEX_API_KEY"
    authority = "CODEX_CA_CERTIFICATE"
    exec_mode = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT)

    sandboxed_mode = ("exec", "--skip-git-repo-check", "--sandbox", "workspace-write", PROMPT)

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
        self.is_denied(run.name, "github.com")

    def test_its_own_sandbox_is_refused_inside_and_nothing_runs_without_it(self):
        """Namespaces cannot be made inside; who does not switch Codex's sandbox off gets a refusal of each command, not less."""
        self.api.plan(PROMPT, [self.shell(SHELL, "No permissions to create new namespace")], LAST_WORDS)
        run = self.succeeds(self.agent(*self.sandboxed_mode))
        self.assertEqual(self.api.complaints, [])
        self.assertEqual(len(self.api.results), 1)
        self.assertFalse(os.path.exists(self.jar.workspace + "/" + MADE))
        self.assertTrue(any(event["exe"].endswith("/bwrap") for event in self.jar.events(run.name, "syscall-denied", syscall="clone")))

    def test_its_own_sandbox_works_where_a_copy_of_the_policy_says_nested(self):
        with open(os.path.dirname(os.path.dirname(self.jar.program)) + "/share/belljar/policies/agent-codex.toml", encoding="utf-8") as file:
            text = file.read()
        policy = self.world.base + "/config/nested.toml"
        with open(policy, "w", encoding="utf-8") as file:
            file.write(text.replace("\n[workspace]\n", "\n[workspace]\nnested = true\n"))
        self.api.plan(PROMPT, self.steps_of(self.shell, self.write), LAST_WORDS)
        run = self.succeeds(self.agent(*self.sandboxed_mode, policy=policy))
        self.assertEqual((self.api.complaints, len(self.api.results)), ([], 3))
        self.assertTrue(os.path.exists(self.jar.workspace + "/" + MADE))
        # The commands have a network of Codex's own making, with nothing in it: what they ask for does not even reach the door.
        self.assertEqual(self.jar.events(run.name, "dns", name="denied.example"), [])

    def test_a_login_lasts_from_one_session_to_the_next(self):
        self.addCleanup(self.agent, "logout", with_key=False)
        self.succeeds(self.agent("login", "--with-api-key", with_key=False, stdin=self.api.key + "\n"))
        self.api.plan(PROMPT, [], LAST_WORDS)
        self.assertIn(LAST_WORDS, self.succeeds(self.agent(*self.exec_mode, with_key=False)).out)

    def test_an_interrupted_turn_leaves_nothing_running(self):
        self.interrupted(self.shell(SLEEP), *self.exec_mode)


if __name__ == "__main__":
    main()
