"""127 and 126: one line says why a command could not be executed, and the --read options that it names make it run."""

import os
import re
import shlex

from world import WorldTest, main


class MissingCommand(WorldTest):
    def setUp(self):
        self.home = self.world.home
        self.path = os.environ["PATH"]

    def program(self, path, text="#!/bin/sh\necho it runs\n", mode=0o755):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def link(self, path, target):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(target, path)

    def run_it(self, *argv, path=(), **how):
        environment = dict(os.environ, PATH=":".join([*path, self.path]))
        return self.jar.run(list(argv), environment=environment, **how)

    def shown_by_what_the_line_says(self, *argv, path=(), expect):
        """127 with a line that names `expect`; with just that the program runs, and so it does with the policy line."""
        first = self.run_it(*argv, path=path)
        self.assertEqual(first.status, 127, repr(first))
        lines = [line for line in first.err.splitlines() if "--read" in line]
        self.assertEqual(len(lines), 1, first.err)
        options = shlex.split(re.search(r"`(--read [^`]*)`", lines[0]).group(1))
        self.assertEqual([option for option in options if option != "--read"], expect, lines[0])
        again = self.run_it(*argv, path=path, options=options)
        self.assertEqual((again.status, again.out), (0, "it runs\n"), repr(again))
        listed = re.search(r"read = (\[.*\])", lines[0]).group(1)
        by_policy = self.run_it(*argv, path=path, policy=self.jar.policy(more=f"[filesystem]\nread = {listed}\n"))
        self.assertEqual((by_policy.status, by_policy.out), (0, "it runs\n"), repr(by_policy))
        return lines[0]

    def test_a_link_in_local_bin_needs_its_own_folder_and_the_one_it_leads_to(self):
        self.program(self.home + "/.local/share/agent/versions/1.2.3/agent")
        self.link(self.home + "/.local/bin/agent", self.home + "/.local/share/agent/versions/1.2.3/agent")
        line = self.shown_by_what_the_line_says("agent", path=[self.home + "/.local/bin"], expect=["~/.local/bin", "~/.local/share/agent"])
        self.assertIn("cannot execute agent: ~/.local/bin/agent is not visible inside", line)

    def test_a_version_manager_s_tree_is_shown_as_a_whole(self):
        version = self.home + "/.nvm/versions/node/v20.0.0"
        self.program(version + "/bin/runtime", "#!/bin/sh\nexec cat \"$(dirname \"$1\")/said\"\n")
        self.program(version + "/lib/node_modules/tool/cli.js", "#!/usr/bin/env runtime\n")
        self.program(version + "/lib/node_modules/tool/said", "it runs\n", 0o644)
        self.link(version + "/bin/tool-link", "../lib/node_modules/tool/cli.js")
        self.program(version + "/bin/tool", "#!/usr/bin/env runtime\n")
        self.program(version + "/bin/said", "it runs\n", 0o644)
        self.shown_by_what_the_line_says("tool", path=[version + "/bin"], expect=["~/.nvm/versions/node/v20.0.0"])
        self.shown_by_what_the_line_says(version + "/bin/tool", path=[version + "/bin"], expect=["~/.nvm/versions/node/v20.0.0"])

    def test_a_script_whose_interpreter_is_all_that_is_missing(self):
        self.program(self.home + "/tools/interpreter")
        self.program(self.jar.workspace + "/direct", f"#!{self.home}/tools/interpreter\n")
        line = self.shown_by_what_the_line_says("./direct", expect=["~/tools"])
        self.assertIn("its interpreter is not visible inside", line)
        self.program(self.jar.workspace + "/by-env", "#!/usr/bin/env interpreter\n")
        line = self.shown_by_what_the_line_says("./by-env", path=[self.home + "/tools"], expect=["~/tools"])
        self.assertIn("its interpreter is not visible inside", line)

    def test_a_folder_with_odd_letters_can_be_pasted(self):
        self.program(self.home + "/my tools/it's/run")
        run = self.run_it(self.home + "/my tools/it's/run")
        self.assertEqual(run.status, 127, repr(run))
        self.assertIn("my tools", run.err)

    def test_what_is_nowhere_is_said_to_be_nowhere(self):
        for command, said in (("no-such-program", "no folder of PATH has a program of that name"), ("./nothing", "there is no such file")):
            run = self.run_it(command)
            self.assertEqual(run.status, 127, repr(run))
            self.assertRegex(run.err, rf"cannot execute {re.escape(command)}: {said}; ")
        self.program(self.jar.workspace + "/no-interpreter", "#!/nowhere/interpreter\n")
        run = self.run_it("./no-interpreter")
        self.assertRegex(run.err, r"its first line names the interpreter /nowhere/interpreter, which is not there")
        self.link(self.jar.workspace + "/dangling", "/nowhere/program")

    def test_what_the_policy_hides_is_said_to_be_hidden(self):
        self.program(self.jar.workspace + "/secret/program")
        run = self.run_it("secret/program", policy=self.jar.policy(more='[filesystem]\nhide = ["secret"]\n'))
        self.assertEqual(run.status, 127, repr(run))
        self.assertIn("is hidden by the policy's filesystem.hide", run.err)

    def test_126_says_what_it_is_instead_of_a_program(self):
        self.program(self.jar.workspace + "/text", "text", 0o644)
        os.makedirs(self.jar.workspace + "/a-folder", exist_ok=True)
        self.program(self.jar.workspace + "/folder-behind", "#!/usr/share\n")
        self.program(self.jar.workspace + "/plain-behind", "#!/usr/lib/os-release\n")
        for command, said in (("./text", r"text is not executable; `chmod \+x .*text` makes it so"), ("./a-folder", "a-folder is a folder"),
                              ("/usr", "/usr is a folder"), ("./folder-behind", "the interpreter in the first line of .*, /usr/share, is a folder"),
                              ("./plain-behind", "the interpreter in the first line of .*, /usr/lib/os-release, is not executable")):
            run = self.run_it(command)
            self.assertEqual(run.status, 126, repr(run))
            self.assertRegex(run.err, rf"cannot execute {re.escape(command)}: .*{said}", command)

    def test_scripts_find_the_line_in_the_json(self):
        self.program(self.home + "/elsewhere/thing")
        run = self.run_it(self.home + "/elsewhere/thing", options=["--json"])
        self.assertIn('"hint":"cannot execute', run.err, repr(run))
        self.assertIn("--read ~/elsewhere", run.err)

    def test_the_session_cannot_have_a_folder_of_secrets_recommended(self):
        secrets = self.world.home + "/.keys"
        os.makedirs(secrets, exist_ok=True)
        with open(secrets + "/id", "w", encoding="ascii") as file:
            file.write("secret")
        os.chmod(secrets + "/id", 0o600)
        for line in ("#!" + secrets + "/id", "#!/usr/bin/env " + secrets + "/id"):
            path = self.jar.workspace + "/steered.sh"
            with open(path, "w", encoding="ascii") as file:
                file.write(line + "\n")
            os.chmod(path, 0o755)
            run = self.jar.run(["./steered.sh"])
            self.assertIn(run.status, (126, 127), repr(run))
            self.assertNotIn("--read ~/.keys", run.err)


if __name__ == "__main__":
    main()
