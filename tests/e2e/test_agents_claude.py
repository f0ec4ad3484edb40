"""Claude Code inside, under the policy agent-claude: its help, its login screen, a turn of work, and an end by Ctrl-C."""

from world import main
from world.agents import LAST_WORDS, PROMPT, SLEEP, AgentTest, Step
from world.anthropic import Anthropic


class Claude(AgentTest):
    program, api_type = "claude", Anthropic
    key = "ANTHROPIC_API_KEY"
    authority = "NODE_EXTRA_CA_CERTS"
    print_mode = ("-p", "--dangerously-skip-permissions", PROMPT)

    def shell(self, command, result=""):
        return Step("Bash", {"command": command, "description": "Does the work"}, result)

    def write(self, name, content):
        return Step("Write", {"file_path": f"{self.jar.workspace}/{name}", "content": content}, name)

    def test_says_its_version_and_its_help(self):
        self.says_version_and_help("@anthropic-ai/claude-code", "Usage: claude")

    def test_shows_its_login_screen(self):
        name, screen = self.screen(with_key=False)
        screen.wait_for("Dark mode")
        screen.keys("Enter")
        screen.wait_for("Select login method")
        self.is_denied(name, "raw.githubusercontent.com")
        screen.leave()
        self.assertEqual({event["host"] for event in self.jar.events(name, "egress", verdict="allowed")}, {"api.anthropic.com", "platform.claude.com"})

    def test_does_a_turn_of_work_with_its_tools(self):
        self.api.plan(PROMPT, self.steps_of(self.shell, self.write), LAST_WORDS)
        self.has_done_the_turn(self.agent(*self.print_mode))

    def test_an_interrupted_turn_leaves_nothing_running(self):
        self.interrupted(self.shell(SLEEP), *self.print_mode)


if __name__ == "__main__":
    main()
