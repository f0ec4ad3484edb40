"""git inside: everyday work, worktrees and submodules, and clone and push over https."""

import os
import re
import subprocess

from world import WorldTest, main
from world.git_server import TOKEN, USER

IDENTITY = ["env"] + [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME=Outside", "EMAIL=out@git.example")]


def outside(*words, folder=None):
    """git as the host runs it."""
    done = subprocess.run([*IDENTITY, "git", "-c", "protocol.file.allow=always", *words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"git {words}: {done.stderr}")
    return done.stdout


class Git(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.config = cls.world.home + "/.gitconfig"
        with open(cls.config, "w", encoding="ascii") as file:
            file.write(f"[user]\n\tname = Tess\n\temail = tess@git.example\n[init]\n\tdefaultBranch = main\n"
                       f"[http]\n\tsslCAInfo = {cls.jar.workspace}/ca.pem\n")

    def inside(self, script, workspace=None, read=(), **how):
        """A shell script that ends at the first error, with the user's git configuration visible."""
        options = [word for path in (self.config, *read) for word in ("--read", path)]
        return self.jar.run(["bash", "-e", "-c", script], options=options, workspace=workspace, **how)

    def repository(self, name, parent=None):
        """A repository with one commit, made outside."""
        folder = f"{parent or self.jar.workspace}/{name}"
        outside("init", "-q", "-b", "main", folder)
        with open(folder + "/file", "w", encoding="ascii") as file:
            file.write("first\n")
        outside("-C", folder, "add", ".")
        outside("-C", folder, "commit", "-qm", "First")
        return folder

    # Who commits ------------------------------------------------------------------------------------------------------
    def test_without_an_identity_git_says_what_is_missing(self):
        run = self.jar.run(["bash", "-e", "-c", "git init -q nobody; cd nobody; echo > a; git add a; git commit -qm x"])
        self.assertEqual(run.status, 128, repr(run))
        self.assertIn("Please tell me who you are", run.err)

    def test_the_user_s_identity_comes_from_a_visible_configuration_or_from_variables(self):
        script = "git init -q {0}; cd {0}; echo > a; git add a; git commit -q -s -m x; git log --format='%an <%ae> %(trailers)'"
        run = self.succeeds(self.inside(script.format("by-config")))
        self.assertEqual(run.out.strip(), "Tess <tess@git.example> Signed-off-by: Tess <tess@git.example>")
        variables = {"GIT_AUTHOR_NAME": "Vera", "GIT_AUTHOR_EMAIL": "v@x", "GIT_COMMITTER_NAME": "Vera", "GIT_COMMITTER_EMAIL": "v@x"}
        run = self.succeeds(self.jar.run(["bash", "-e", "-c", script.format("by-variables")], environment={**os.environ, **variables},
                                         options=[word for name in variables for word in ("--env", name)]))
        self.assertEqual(run.out.strip(), "Vera <v@x> Signed-off-by: Vera <v@x>")

    # One repository ---------------------------------------------------------------------------------------------------
    def test_commit_branch_rebase_merge_stash_bisect_and_clean_up(self):
        run = self.succeeds(self.inside("""
            git init -q daily; cd daily
            commit() { echo "$1" > "$1"; git add "$1"; git commit -qm "$1"; }
            commit base; git checkout -q -b topic; commit topic; git checkout -q main; commit main
            git rebase -q topic; git log --format=%s | tr '\\n' ' '; echo
            git checkout -q -b other HEAD~1; commit other; git merge -q -m merged main; git tag -a -m tag v1
            echo change >> base; git stash -q; git stash pop -q; git diff --stat; git checkout -q base
            git bisect start HEAD HEAD~2 >/dev/null; git bisect reset 2>/dev/null; git reset -q --hard HEAD~1; git reflog | wc -l
            git branch -D topic -q; git mv base moved; git commit -qam moved; git blame -s moved | cut -c1-4 > /dev/null
            git gc -q; git fsck --strict; git archive HEAD | tar t; git status --short"""))
        self.assertEqual(run.out.splitlines()[0], "main topic base ")
        self.assertIn("base | 1 +", run.out)
        self.assertEqual(outside("-C", self.jar.workspace + "/daily", "status", "--short"), "")

    def test_hooks_of_a_repository_made_inside_run(self):
        run = self.succeeds(self.inside("""
            git init -q hooked; cd hooked
            printf '#!/bin/sh\\necho "hook: $(git diff --cached --name-only)"\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
            echo > a; git add a; git commit -qm a"""))
        self.assertIn("hook: a", run.err)

    def test_a_worktree_made_inside_works_with_its_git_file(self):
        self.repository("trees")
        run = self.succeeds(self.inside("cd trees; git worktree add -q ../tree -b side; cd ../tree; test -f .git; echo > new; git add new; "
                                        "git commit -qm Side; git status --short; git -C ../trees log --format=%s side"))
        self.assertEqual(run.out.split(), ["Side", "First"])

    def test_submodules_are_added_cloned_and_committed_in(self):
        self.repository("library")
        run = self.succeeds(self.inside("""
            git init -q super; cd super; export GIT_ALLOW_PROTOCOL=file
            git submodule --quiet add ../library lib; git commit -qm 'With library'; test -f lib/.git
            cd lib; echo > new; git add new; git commit -qm 'In the library'; git push -q origin HEAD:moved; cd ..; git commit -qam Moved
            git submodule foreach --quiet 'git log -1 --format=%s'; git status --short
            cd ..; git clone -q --recurse-submodules super copy; cat copy/lib/file"""))
        self.assertEqual(run.out.splitlines(), ["In the library", "first"])

    def test_a_workspace_that_is_no_repository_or_a_folder_of_one_gets_git_s_own_sentence(self):
        whole = self.repository("whole", parent=self.world.base + "/projects")
        os.mkdir(whole + "/part")
        for workspace in (whole + "/part", self.jar.workspace):
            run = self.inside("git status", workspace=workspace)
            self.assertEqual(run.status, 128, repr(run))
            self.assertIn("fatal: not a git repository", run.err)

    # A workspace whose git folder lies outside ------------------------------------------------------------------------
    def worktree(self, name):
        repository = self.repository(name, parent=self.world.base + "/projects")
        outside("-C", repository, "worktree", "add", "-q", f"../{name}-tree", "-b", "side")
        return repository + "/.git", repository + "-tree"

    def test_a_worktree_as_workspace_is_told_the_path_that_shows_its_repository(self):
        git, tree = self.worktree("told")
        run = self.inside("git log", workspace=tree)
        self.assertEqual(run.status, 128, repr(run))
        self.assertIn(f"fatal: not a git repository: {git}/worktrees/told-tree", run.err)
        note = [line for line in run.err.splitlines() if line.startswith("belljar: git will find")]
        self.assertEqual(len(note), 1, run.err)
        shown = re.search("`--read ([^`]+)`", note[0]).group(1)
        run = self.succeeds(self.inside("git log --format=%s; git status --short; git diff HEAD", workspace=tree, read=[shown]))
        self.assertEqual(run.out, "First\n")
        self.assertNotIn("git will find", run.err)
        run = self.inside("echo > new; git add new", workspace=tree, read=[shown])
        self.assertIn("index.lock': Read-only file system", run.err)

    def test_a_worktree_as_workspace_commits_with_the_policy_of_the_documentation_and_cannot_change_hooks_or_configuration(self):
        git, tree = self.worktree("commits")
        policy = self.jar.policy(more=f'[filesystem]\nread = ["{git}"]\nwrite = ["{git}/objects", "{git}/refs", "{git}/logs", '
                                      f'"{git}/worktrees/commits-tree"]\n')
        run = self.succeeds(self.inside("echo > new; git add new; git commit -qm Inside; git checkout -q -b another; git rebase -q main; "
                                        "git log --format=%s", workspace=tree, policy=policy))
        self.assertEqual(run.out, "Inside\nFirst\n")
        self.assertEqual(outside("-C", tree, "log", "--format=%s", "side"), "Inside\nFirst\n")
        for attack in (f"echo > {git}/hooks/post-commit", f"git config core.fsmonitor evil", f"mv {git}/hooks {git}/h", f"echo >> {git}/config",
                       "git branch -D side", "git gc", "git worktree add ../more"):  # these three the documentation names
            run = self.inside(attack, workspace=tree, policy=policy)
            self.assertNotEqual(run.status, 0, attack)
            self.assertIn("Read-only file system", run.err)

    def test_a_submodule_as_workspace_is_told_the_path_and_commits_with_the_policy_of_the_documentation(self):
        projects = self.world.base + "/projects"
        self.repository("part", parent=projects)
        outer = self.repository("outer", parent=projects)
        outside("-C", outer, "submodule", "--quiet", "add", projects + "/part", "part")
        module, workspace = outer + "/.git/modules/part", outer + "/part"
        run = self.inside("git log", workspace=workspace)
        self.assertEqual(run.status, 128, repr(run))
        self.assertIn("fatal: not a git repository", run.err)
        self.assertIn(f"`--read {module}`", run.err)
        self.assertEqual(self.succeeds(self.inside("git log --format=%s", workspace=workspace, read=[module])).out, "First\n")
        policy = self.jar.policy(more=f'[filesystem]\nwrite = ["{module}"]\nread = ["{module}/hooks", "{module}/config"]\n')
        run = self.succeeds(self.inside("echo > new; git add new; git commit -qm Inside; git log --format=%s", workspace=workspace, policy=policy))
        self.assertEqual(run.out, "Inside\nFirst\n")
        for attack in (f"echo > {module}/hooks/post-commit", "git config core.fsmonitor evil", f"mv {module}/hooks {module}/h"):
            self.assertNotEqual(self.inside(attack, workspace=workspace, policy=policy).status, 0, attack)
        self.assertEqual(outside("-C", workspace, "status", "--short"), "")

    # Over https -------------------------------------------------------------------------------------------------------
    def test_clone_fetch_and_push_over_https(self):
        self.world.git.repository("one.git")
        run = self.succeeds(self.inside(f"""
            git clone -q https://git.example/one.git; cd one; git log --format=%s
            echo > new; git add new; git commit -qm Pushed; git push -q https://{USER}:{TOKEN}@git.example/one.git main; git fetch
            git status -sb; git -c http.version=HTTP/2 ls-remote --heads origin | cut -f2""", allow=["git.example"]))
        self.assertEqual(run.out.splitlines(), ["First", "## main...origin/main", "refs/heads/main"])
        self.assertEqual(self.world.git.subjects("one.git"), ["Pushed", "First"])
        self.assertEqual({(e["host"], e["port"]) for e in self.jar.events(run.name, "egress", verdict="allowed")}, {("git.example", 443)})

    def test_a_push_without_a_login_and_a_host_that_is_not_allowed_end_with_git_s_own_sentence(self):
        self.world.git.repository("two.git")
        run = self.inside("git clone -q https://git.example/two.git; cd two; git push origin main:new", allow=["git.example"])
        self.assertEqual(run.status, 128, repr(run))
        self.assertIn("could not read Username", run.err)
        run = self.inside("git clone https://git.example/two.git three")
        self.assertEqual(run.status, 128, repr(run))
        self.assertIn("Could not resolve host: git.example", run.err)
        self.assertEqual(self.jar.events(run.name, "dns", name="git.example")[0]["verdict"], "denied")


if __name__ == "__main__":
    main()
