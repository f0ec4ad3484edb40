"""What root is told: to name a user, and then the session is that user's. Runs as root itself, in no world of its own."""

import os
import pwd
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["BELLJAR_PREFIX"] + "/bin/belljar"
USER = os.environ.get("BELLJAR_TEST_USER", "belljar-test")


class AsRoot(unittest.TestCase):
    def setUp(self):
        self.account = pwd.getpwnam(USER)
        self.folder = tempfile.TemporaryDirectory(prefix="bj-root-", dir="/var/tmp")
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o755)
        self.workspace = self.folder.name + "/project"
        os.mkdir(self.workspace)
        os.chown(self.workspace, self.account.pw_uid, self.account.pw_gid)

    def belljar(self, *words):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "ROOTS_SECRET": "canary-of-root"}
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment, timeout=60)

    def test_root_without_a_user_is_refused_in_words_and_nothing_runs(self):
        done = self.belljar("run", "-C", self.workspace, "--", "touch", "ran")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("--user", done.stderr)
        self.assertFalse(os.path.exists(self.workspace + "/ran"))

    def test_root_as_the_named_user_is_refused_too(self):
        done = self.belljar("run", "--user", "root", "-C", self.workspace, "--", "true")
        self.assertEqual(done.returncode, 125, done.stderr)

    def test_an_unknown_user_is_named_in_the_refusal(self):
        done = self.belljar("run", "--user", "no-such-user", "-C", self.workspace, "--", "true")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("no-such-user", done.stderr)

    def test_with_a_user_the_session_is_that_user_s(self):
        done = self.belljar("run", "--user", USER, "-C", self.workspace, "--", "sh", "-c", "id -u; id -G; echo made > file; env; cat /proc/self/status")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], str(self.account.pw_uid))
        self.assertNotIn("0", lines[1].split())
        self.assertNotIn("canary-of-root", done.stdout)
        self.assertIn("HOME=" + self.account.pw_dir, lines)
        self.assertEqual(os.stat(self.workspace + "/file").st_uid, self.account.pw_uid)
        self.assertIn("CapEff:\t0000000000000000", lines)

    def test_the_record_is_that_user_s_as_well(self):
        done = self.belljar("run", "--user", USER, "-n", "roots-own", "-C", self.workspace, "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = subprocess.run(["runuser", "-u", USER, "--", "env", "-i", "HOME=" + self.account.pw_dir, "PATH=/usr/bin:/bin", PROGRAM, "ls", "--all"],
                                capture_output=True, text=True, cwd="/")
        self.assertIn("roots-own", listed.stdout, listed.stderr)


if __name__ == "__main__":
    if os.getuid() != 0:
        sys.exit("these tests are for root: run them as root (installer/test.sh does)")
    unittest.main(verbosity=2)
