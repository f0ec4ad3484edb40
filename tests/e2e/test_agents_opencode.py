"""opencode inside, under the policy agent-opencode: its help, its login screen, a turn of work, and an end by Ctrl-C."""

from world import main
from world.agents import LAST_WORDS, PROMPT, SLEEP, AgentTest, Step
from world.anthropic import Anthropic


class Providers(Anthropic):
    hosts = ("api.anthropic.com", "models.opencode.ai")  # the list of models is not there: it goes on with the one it carries


class OpenCode(AgentTest):
    program, api_type = "opencode", Providers
    key = "ANTHROPIC_API_KEY"
    authority = "NODE_EXTRA_CA_CERTS"
    run_mode = ("run", "-m", "anthropic/claude-sonnet-4-5", PROMPT)

    def shell(self, command, result=""):
        return Step("bash", {"command": command, "description": "Does the work"}, result)

    def write(self, name, content):
        return Step("write", {"filePath": f"{self.jar.workspace}/{name}", "content": content})

    def test_says_its_version_and_its_help(self):
        self.says_version_and_help("opencode-ai", "opencode run [message..]")

    def test_shows_its_first_screen_and_its_login_screen(self):
        name, screen = self.screen(with_key=False)
        screen.wait_for("Ask anything")
        self.is_denied(name, "api.github.com")
        screen.leave()
        _, screen = self.screen("auth", "login", with_key=False)
        screen.wait_for("Select provider")
        screen.leave()

    def test_does_a_turn_of_work_with_its_tools(self):
        self.api.plan(PROMPT, self.steps_of(self.shell, self.write), LAST_WORDS)
        self.has_done_the_turn(self.agent(*self.run_mode))

    def test_an_interrupted_turn_leaves_nothing_running(self):
        self.interrupted(self.shell(SLEEP), *self.run_mode)


if __name__ == "__main__":
    main()
