"""`read_only = true`, and the built-in policy `review`: the workspace can be read and worked in, and not changed."""

import os

from world import WorldTest, main, servers


class ReadOnlyWorkspace(WorldTest):
    @classmethod
    def setUpClass(cls):
        git = ["git", "-C", cls.jar.workspace, "-c", "user.name=T", "-c", "user.email=t@allowed.example"]
        servers.run(*git, "init", "-q")
        os.makedirs(cls.jar.workspace + "/sub/deep")
        for name in ("file", "sub/deep/file", "secret"):
            with open(f"{cls.jar.workspace}/{name}", "w", encoding="ascii") as file:
                file.write("as it was\n")
        servers.run(*git, "add", "file", "sub")
        servers.run(*git, "commit", "-q", "-m", "the first")

    def sh(self, script, policy="review", **how):
        return self.jar.run(["sh", "-c", script], policy=policy, **how)

    def unchanged(self):
        for name in ("file", "sub/deep/file", "secret"):
            with open(f"{self.jar.workspace}/{name}", encoding="ascii") as file:
                self.assertEqual(file.read(), "as it was\n")
        self.assertEqual(sorted(os.listdir(self.jar.workspace)), [".git", "file", "secret", "sub"])

    def test_nothing_in_it_can_be_changed_made_or_removed_by_any_way(self):
        attempts = ["echo x > file", "echo x >> sub/deep/file", "touch new", "mkdir made", "rm file", "mv file other", "mv sub other", "ln file hard",
                    "ln -s file soft", "chmod 777 file", "touch -d 2001-01-01 file", "truncate -s 0 file", "rm -rf sub",
                    "echo x > /proc/self/cwd/file", "exec 3< file; echo x > /proc/self/fd/3", "git commit --allow-empty -m x", "mkfifo pipe"]
        for attempt in attempts:
            run = self.sh(attempt)
            self.assertNotEqual(run.status, 0, f"{attempt}: {run!r}")
        self.unchanged()

    def test_reading_walking_and_git_work(self):
        run = self.succeeds(self.sh("cat file; cd sub/deep && pwd && cat file; git log --format=%s; git status --short; git diff --stat; git show --stat HEAD"))
        self.assertIn(self.jar.workspace + "/sub/deep\n", run.out)
        self.assertIn("the first\n", run.out)
        self.unchanged()

    def test_tmp_and_the_home_stay_writable(self):
        self.succeeds(self.sh("echo x > /tmp/x && echo x > ~/x && cp -r . /tmp/copy && echo x > /tmp/copy/file"))
        self.unchanged()

    def test_it_goes_together_with_what_is_hidden_and_what_is_writable(self):
        out = self.world.base + "/projects/out"
        os.makedirs(out, exist_ok=True)
        policy = self.jar.policy(more=f'[workspace]\nread_only = true\n[filesystem]\nhide = ["secret", "sub/deep"]\nwrite = ["{out}"]\n')
        run = self.succeeds(self.sh(f"cat secret; ls sub/deep; echo x > {out}/x", policy=policy))
        self.assertEqual(run.out, "")
        self.assertTrue(os.path.exists(out + "/x"))
        self.unchanged()

    def test_a_workspace_may_ask_for_it_and_not_lift_it(self):
        other = self.world.base + "/projects/other"
        os.makedirs(other + "/.belljar")
        for asked, policy, status in (("true", self.jar.policy(), 2), ("false", "review", 2), ("false", self.jar.policy(), 0)):
            with open(other + "/.belljar/policy.toml", "w", encoding="ascii") as file:
                file.write(f"version = 1\n[workspace]\nread_only = {asked}\n")
            run = self.sh("echo x > new", policy=policy, workspace=other)
            self.assertEqual(run.status, status, f"{asked} {policy}: {run!r}")
        self.assertEqual(os.path.exists(other + "/new"), True)


if __name__ == "__main__":
    main()
