"""Homes: a session's own goes with it, a kept one lasts and is shared by name, and both can be taken away again."""

import os
import shutil
import stat

from world import WorldTest, main
from world.servers import wait_for

LISTEN = """
import os, socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(os.path.expanduser('~/service.sock')); s.listen()
open('listening', 'w').close()
while not os.path.exists('enough'): time.sleep(0.02)
"""
CONNECT = """
import os, socket
try: socket.socket(socket.AF_UNIX).connect(os.path.expanduser('~/service.sock')); print('connected')
except OSError as e: print(type(e).__name__)
"""


class KeptHome(WorldTest):
    def setUp(self):
        self.kept = self.jar.policy(more='[workspace]\nhome = "work"\n')
        self.addCleanup(lambda: shutil.rmtree(self.world.base + "/state/homes", ignore_errors=True))

    def sh(self, script, **how):
        return self.jar.run(["sh", "-c", script], **how)

    def test_what_is_written_there_lasts_for_sessions_of_that_name_and_no_other(self):
        self.succeeds(self.sh("echo login > ~/.login; mkdir ~/deep; echo x > ~/deep/file", policy=self.kept))
        self.assertEqual(self.succeeds(self.sh("cat ~/.login ~/deep/file", policy=self.kept)).out, "login\nx\n")
        self.assertNotEqual(self.sh("cat ~/.login").status, 0)
        other = self.jar.policy(more='[workspace]\nhome = "other"\n')
        self.assertNotEqual(self.sh("cat ~/.login", policy=other).status, 0)
        for folder in ("homes", "homes/work", "homes/work/home"):
            self.assertEqual(stat.S_IMODE(os.stat(f"{self.world.base}/state/{folder}").st_mode), 0o700, folder)

    def test_the_record_says_which_home_it_was(self):
        kept, own = self.succeeds(self.sh("true", policy=self.kept)), self.succeeds(self.sh("true"))
        started = lambda run: self.jar.events(run.name, "session-started")[0]
        self.assertEqual((started(kept)["home"], "home" in started(own)), ("work", False))
        self.assertRegex(self.succeeds(self.jar.call("show", kept.name)).out, r"(?m)^home +work, kept and shared by name$")
        self.assertIn(", kept home work", self.succeeds(self.jar.call("audit", "show", kept.name)).out)

    def test_it_stands_at_the_users_own_home_path(self):
        run = self.succeeds(self.sh("echo $HOME; pwd -P; cd ~ && pwd -P", policy=self.kept))
        self.assertEqual(run.out.splitlines(), [self.world.home, self.jar.workspace, self.world.home])

    def test_two_sessions_share_it_at_the_same_time_but_not_their_sockets(self):
        for name in ("listening", "enough"):
            if os.path.exists(f"{self.jar.workspace}/{name}"):
                os.remove(f"{self.jar.workspace}/{name}")
        name, first = self.jar.start(["/usr/bin/python3", "-c", LISTEN], policy=self.kept)
        try:
            self.jar.wait_for_file("listening", 30)
            second = self.jar.python(CONNECT, policy=self.kept)
            self.assertEqual(second.out, "PermissionError\n", repr(second))
            self.assertTrue([e for e in self.jar.events(second.name, "egress", verdict="denied", proto="unix")
                             if e["host"].endswith("/service.sock")])
            in_use = self.jar.call("audit", "prune", "--home", "work", "-f")
            self.assertEqual(in_use.status, 1, repr(in_use))
            self.assertIn("a session is using it", in_use.err)
            self.assertTrue(os.path.exists(self.world.base + "/state/homes/work/home/service.sock"))
        finally:
            open(self.jar.workspace + "/enough", "w").close()
            first.communicate(timeout=30)
        # Nobody else has the home now: the socket can only be a dead one, and the kernel's own answer is right.
        wait_for(lambda: self.jar.python(CONNECT, policy=self.kept).out == "ConnectionRefusedError\n", "the dead socket's own answer")

    def test_a_link_left_where_something_is_to_be_shown_is_neither_followed_nor_taken_away(self):
        shown = self.world.home + "/shown"
        os.makedirs(shown, exist_ok=True)
        self.addCleanup(os.rmdir, shown)
        more = '[workspace]\nhome = "work"\n[filesystem]\nread = ["~/shown"]\n'
        for left, sentence in (("ln -s /tmp ~/shown", "a symbolic link lies there"), ("rm ~/shown; touch ~/shown", "one of the two is a file")):
            self.succeeds(self.sh(left, policy=self.kept))
            run = self.sh("true", policy=self.jar.policy(more=more))
            self.assertEqual(run.status, 125, repr(run))
            self.assertRegex(run.err, f"/shown.*: .*{sentence}.* in the kept home\n$")

    def test_it_is_removed_only_when_it_is_named_and_after_a_question(self):
        self.succeeds(self.sh("echo login > ~/.login", policy=self.kept))
        place = self.world.base + "/state/homes/work"
        self.succeeds(self.jar.call("audit", "prune", "--homes", "--older-than", "1s", "--dry-run"))
        self.succeeds(self.jar.call("audit", "prune", "--homes", "-f"))
        self.assertTrue(os.path.exists(place + "/home/.login"))
        overview = self.json_of(self.jar.call("audit", "prune", "--json"))
        self.assertEqual([(one["name"], one["in_use"]) for one in overview["kept_homes"]], [("work", False)])
        unasked = self.jar.call("audit", "prune", "--home", "work")
        self.assertEqual(unasked.status, 1, repr(unasked))
        self.assertTrue(os.path.exists(place))
        self.assertIn("kept home work", self.succeeds(self.jar.call("audit", "prune", "--home", "work", "-f")).out)
        self.assertFalse(os.path.exists(place))
        missing = self.jar.call("audit", "prune", "--home", "wrok", "-f")
        self.assertEqual(missing.status, 1, repr(missing))

    def test_it_is_not_to_be_had_by_its_path(self):
        self.succeeds(self.sh("echo login > ~/.login", policy=self.kept))
        for how in ({"policy": self.jar.policy(more=f'[filesystem]\nread = ["{self.world.base}/state/homes"]\n')},
                    {"options": ["--read", self.world.base + "/state/homes/work/home"]}):
            run = self.sh("true", **how)
            self.assertEqual(run.status, 125, repr(run))
            self.assertIn("Belljar's own folder", run.err)

    def test_an_empty_home_of_a_session_goes_with_it_and_a_used_one_is_pruned(self):
        empty, used = self.succeeds(self.sh("true")), self.succeeds(self.sh("echo x > ~/file; mkdir -m 0 ~/closed"))
        self.assertFalse(os.path.exists(self.jar.folder(empty.name) + "/home"))
        self.assertTrue(os.path.exists(self.jar.folder(used.name) + "/home/file"))
        pruned = self.json_of(self.jar.call("audit", "prune", "--homes", "-f", "--json"))
        self.assertIn((self.jar.id_of(used.name), True), [(item["id"], item["removed"]) for item in pruned["items"]])
        self.assertFalse(os.path.exists(self.jar.folder(used.name) + "/home"))
        self.assertEqual(self.jar.call("audit", "verify", used.name).status, 0)

    def test_a_large_home_is_mentioned_with_what_frees_it(self):
        run = self.sh("dd if=/dev/zero of=$HOME/large bs=1M count=120 status=none")
        self.assertRegex(run.err, r"its private home holds 12\d\.\d MB; `belljar audit prune --homes`")
        self.succeeds(self.jar.call("audit", "prune", "--homes", "-f"))

    def test_sessions_older_than_an_age_go_with_their_records_and_others_stay(self):
        run = self.succeeds(self.sh("true"))
        young = self.json_of(self.jar.call("audit", "prune", "--older-than", "1d", "-f", "--json"))
        self.assertEqual(young["items"], [])
        identity = self.jar.id_of(run.name)
        dry = lambda: [item.get("id") for item in self.json_of(self.jar.call("audit", "prune", "--older-than", "1s", "--dry-run", "--json"))["items"]]
        wait_for(lambda: identity in dry(), "an age of 1 s")
        self.assertIn(identity, [row["id"] for row in self.jar.sessions()])
        self.succeeds(self.jar.call("audit", "prune", "--older-than", "1s", "-f"))
        self.assertNotIn(identity, [row["id"] for row in self.jar.sessions()])
        self.assertFalse(os.path.exists(f"{self.world.base}/state/sessions/{identity}"))

    def test_a_home_that_was_closed_to_its_owner_is_opened_again_and_can_be_pruned(self):
        policy = self.jar.policy(more='[workspace]\nhome = "closed"\n')
        self.succeeds(self.jar.run(["sh", "-c", "echo kept > ~/file; mkdir ~/inner; echo x > ~/inner/y; chmod 0 ~/inner ~"], policy=policy))
        self.assertEqual(self.succeeds(self.jar.run(["sh", "-c", "cat ~/file"], policy=policy)).out, "kept\n")
        self.succeeds(self.jar.run(["chmod", "0", self.world.home], policy=policy))
        self.succeeds(self.jar.call("audit", "prune", "--home", "closed", "-f"))
        self.assertFalse(os.path.exists(self.jar.base + "/state/homes/closed"))

    def test_a_private_home_with_a_closed_folder_in_it_is_not_taken_for_empty(self):
        run = self.succeeds(self.jar.run(["sh", "-c", "mkdir ~/d; echo precious > ~/d/f; chmod 0 ~/d"]))
        home = self.jar.folder(run.name) + "/home"
        self.assertTrue(os.path.isdir(home + "/d"))
        os.chmod(home + "/d", 0o700)
        self.assertTrue(os.path.exists(home + "/d/f"))


if __name__ == "__main__":
    main()
