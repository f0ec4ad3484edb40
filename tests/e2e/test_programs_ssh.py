"""ssh inside, and git over it: the name is looked up and connected to like any other, on port 22, also behind a jump host."""

import os
import shutil

from world import WorldTest, main


class Ssh(WorldTest):
    @classmethod
    def setUpClass(cls):
        """The user's ~/.ssh: a key made for this use, and the keys of the hosts. Only what is named of it is visible."""
        world, base, folder = cls.world, cls.world.base, cls.world.home + "/.ssh"
        world.ssh, world.jump
        os.mkdir(folder, 0o700)
        for name in ("ssh", "jump"):
            shutil.copy(f"{base}/{name}/client", f"{folder}/{name}_key")
        known = "".join(open(f"{base}/{name}/known_hosts", encoding="ascii").read() for name in ("ssh", "jump"))
        with open(folder + "/known_hosts", "w", encoding="ascii") as file:
            file.write(known)
        with open(folder + "/config", "w", encoding="ascii") as file:
            file.write("Host git.example\n  IdentityFile ~/.ssh/ssh_key\nHost jump.example\n  IdentityFile ~/.ssh/jump_key\nHost *\n  BatchMode yes\n")
        with open(folder + "/id_private", "w", encoding="ascii") as file:
            file.write("not for sessions")
        cls.visible = [word for name in ("ssh_key", "jump_key", "known_hosts", "config") for word in ("--read", f"{folder}/{name}")]

    def inside(self, script, *allow):
        identity = "export GIT_AUTHOR_NAME=Tess GIT_AUTHOR_EMAIL=t@x GIT_COMMITTER_NAME=Tess GIT_COMMITTER_EMAIL=t@x\n"
        return self.jar.run(["bash", "-e", "-c", identity + script], options=self.visible, allow=allow)

    def test_only_what_is_named_of_the_folder_is_there(self):
        run = self.succeeds(self.inside("ls ~/.ssh; ssh -G git.example | grep -i '^identityfile'"))
        self.assertEqual(run.out.splitlines(), ["config", "jump_key", "known_hosts", "ssh_key", "identityfile ~/.ssh/ssh_key"])

    def test_clone_and_push_over_ssh(self):
        bare = self.world.git.repository("over-ssh.git")
        run = self.succeeds(self.inside(f"git clone -q ssh://git.example{bare} cloned; cd cloned; echo > new; git add new; git commit -qm Pushed; "
                                        "git push -q; git fetch; git log --format=%s origin/main", "git.example:22"))
        self.assertEqual(run.out.splitlines(), ["Pushed", "First"])
        self.assertEqual(self.world.git.subjects("over-ssh.git"), ["Pushed", "First"])
        self.assertEqual({(e["host"], e["port"]) for e in self.jar.events(run.name, "egress", verdict="allowed")}, {("git.example", 22)})

    def test_a_jump_host_is_all_that_has_to_be_allowed_for_what_lies_behind_it(self):
        bare = self.world.git.repository("behind.git")
        run = self.succeeds(self.inside("ssh -J jump.example git.example echo there; export GIT_SSH_COMMAND='ssh -J jump.example'; "
                                        f"git ls-remote --heads ssh://git.example{bare} | cut -f2", "jump.example:22"))
        self.assertEqual(run.out, "there\nrefs/heads/main\n")
        self.assertEqual({e["host"] for e in self.jar.events(run.name, "egress", verdict="allowed")}, {"jump.example"})
        run = self.inside("ssh git.example echo there", "jump.example:22")
        self.assertEqual(run.status, 255, repr(run))
        self.assertIn("Could not resolve hostname git.example", run.err)

    def test_files_are_copied_with_scp_sftp_and_rsync(self):
        there = self.world.base + "/there"
        os.mkdir(there)
        run = self.succeeds(self.inside(f"echo copied > it; scp -q it git.example:{there}/a; echo 'put it {there}/b' | sftp -q -b - git.example >/dev/null; "
                                        f"rsync it git.example:{there}/c; scp -q git.example:{there}/a back; cat back", "git.example:22"))
        self.assertEqual(run.out, "copied\n")
        self.assertEqual(sorted(os.listdir(there)), ["a", "b", "c"])

    def test_a_master_connection_a_forwarded_port_and_an_agent_of_its_own_work(self):
        run = self.succeeds(self.inside("""
            ssh -o ControlMaster=auto -o ControlPath=/tmp/master -o ControlPersist=yes git.example echo first
            ssh -o ControlPath=/tmp/master git.example echo second; ssh -o ControlPath=/tmp/master -O exit git.example 2>/dev/null
            ssh -f -N -o ExitOnForwardFailure=yes -L 2222:git.example:22 jump.example
            ssh-keyscan -p 2222 localhost 2>/dev/null | grep -c ssh-ed25519
            eval "$(ssh-agent)" >/dev/null; ssh-keygen -q -t ed25519 -N '' -f /tmp/key; ssh-add -q /tmp/key; ssh-add -l | wc -l""",
            "git.example:22", "jump.example:22"))
        self.assertEqual(run.out.split(), ["first", "second", "1", "1"])

    def test_an_unknown_host_key_is_refused_by_ssh_itself(self):
        run = self.jar.run(["ssh", "-o", "BatchMode=yes", "git.example", "true"], allow=["git.example:22"])
        self.assertEqual(run.status, 255, repr(run))
        self.assertIn("Host key verification failed", run.err)


if __name__ == "__main__":
    main()
