"""The Gemini CLI inside, under the policy agent-gemini: its help, its login screen, a turn of work, and an end by Ctrl-C."""

from world import main
from world.agents import LAST_WORDS, PROMPT, SLEEP, AgentTest, Step
from world.gemini import Gemini


class GeminiCli(AgentTest):
    program, api_type = "gemini", Gemini
    key = "GEMINI_API_KEY"
    authority = "NODE_EXTRA_CA_CERTS"
    prompt_mode = ("--yolo", "--skip-trust", "-p", PROMPT)

    def shell(self, command, result=""):
        return Step("run_shell_command", {"command": command.replace("$?", "${?}")}, result)

    def write(self, name, content):
        return Step("write_file", {"file_path": f"{self.jar.workspace}/{name}", "content": content}, name)

    def test_says_its_version_and_its_help(self):
        self.says_version_and_help("@google/gemini-cli", "Usage: gemini")

    def test_shows_its_login_screen(self):
        _, screen = self.screen("--skip-trust", with_key=False)
        screen.wait_for("How would you like to authenticate")
        screen.leave()

    def test_does_a_turn_of_work_with_its_tools(self):
        self.api.plan(PROMPT, self.steps_of(self.shell, self.write), LAST_WORDS)
        run = self.agent(*self.prompt_mode)
        self.has_done_the_turn(run)
        self.is_denied(run.name, "play.googleapis.com")

    def test_an_interrupted_turn_leaves_nothing_running(self):
        self.interrupted(self.shell(SLEEP), *self.prompt_mode)


if __name__ == "__main__":
    main()
