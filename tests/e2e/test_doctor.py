"""Each obstacle, made for real where this kernel can make it or play it: doctor names it with its cure, the session that
cannot start says the same sentence, and nothing of it is left behind."""

import errno
import json
import os
import shutil
import subprocess

from world import WorldTest, main
from world.jar import Result

SECCOMP, SOCKET, CLONE3, SETHOSTNAME, LANDLOCK = 317, 41, 435, 170, 444
NETLINK_NETFILTER, NEW_LISTENER, WAIT_KILLABLE_RECV = 12, 1 << 3, 1 << 5

FAKE_HELPER = """#!/usr/bin/python3
import json, socket
s = socket.socket(fileno=3)
left = b""
while piece := s.recv(65536):
    *whole, left = (left + piece).split(b"\\0")
    for message in whole:
        if json.loads(message)["method"].endswith("GetInfo"):
            answer = {"parameters": {"vendor": "Belljar", "product": "belljar-helper", "version": "0.0.1", "url": "", "interfaces": []}}
        else:
            answer = {"error": "org.belljar.Helper.SpecRefused", "parameters": {"reason": "workspace: unknown member"}}
        s.sendall(json.dumps(answer).encode() + b"\\0")
"""


class Obstacles(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.refuse_program = cls.world.compile("refuse.c")
        cls.listen_program = cls.world.compile("listen.c")

    def refuse(self, *rules):
        return [self.refuse_program, *rules, "--"]

    @staticmethod
    def nested(setup, *more, enter=""):
        """Words in front of a command: it runs as the same user without capabilities, in namespaces that `setup` (shell) arranged."""
        script = setup + f'\nexec {enter} setpriv --inh-caps=-all --ambient-caps=-all -- "$@"'
        return ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", *more, "sh", "-ec", script, "sh"]

    def call_in(self, front, *words, program=None, environment=None):
        done = subprocess.run([*front, program or self.jar.program, *words], capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, env=dict(os.environ, **(environment or {})))
        return Result(words[-1], done.returncode, done.stdout, done.stderr)

    def checks(self, front, status, **how):
        doctor = self.call_in(front, "doctor", "--json", **how)
        self.assertEqual(doctor.status, status, repr(doctor))
        return {check["name"]: check for check in json.loads(doctor.out)["checks"]}

    def touch(self, front, **how):
        run = self.call_in(front, "run", "-q", "-C", self.jar.workspace, "--", "touch", "ran", **how)
        began = os.path.exists(self.jar.workspace + "/ran")
        if began:
            os.unlink(self.jar.workspace + "/ran")
        self.assertEqual(began, run.status == 0, repr(run))
        return run

    def obstructs(self, front, name, found, advice, unmade=False, **how):
        """doctor says so, in both forms; so does the session that does not start, in one line; nothing is left of it. `unmade`: it is
        refused before anything of it was made, so no stage is named."""
        check = self.checks(front, 1, **how).get(name) or self.fail(f"doctor knows no {name}")
        self.assertEqual(check["state"], "missing", check)
        self.assertRegex(check["found"], found)
        self.assertRegex(check["advice"], advice)
        text = self.call_in(front, "doctor", **how)
        self.assertIn(f"missing {name}: {check['found']}\n        → {check['advice']}\n", text.out)
        self.assertTrue(text.out.endswith("Sessions cannot run here: see what is missing.\n"), repr(text))
        before = {row["id"] for row in self.jar.sessions()}
        run = self.touch(front, **how)
        self.assertEqual(run.status, 125, repr(run))
        self.assertTrue(run.err.startswith("belljar: start the session: " if unmade else "belljar: ") and run.err.endswith(f": {check['found']}; {check['advice']}\n"),
                        f"{run!r}\n{check}")
        self.assertEqual(run.err.count("\n"), 1, repr(run))
        for row in self.jar.sessions():  # one that had begun has a whole record
            if row["id"] not in before:
                self.assertEqual((row["state"], row["status"], row["sealed"]), ("ended", 125, True), row)
        left = set(os.listdir(self.jar.base + "/state/sessions")) - {row["id"] for row in self.jar.sessions()}
        self.assertEqual(left, set())

    def hinders_little(self, front, name, found, advice, **how):
        """doctor notes it and says what is less; a session runs all the same."""
        check = self.checks(front, 0, **how)[name]
        self.assertEqual((check["state"], bool(advice)), ("note" if advice else "ok", bool(check["advice"])), check)
        self.assertRegex(check["found"], found)
        if advice:
            self.assertRegex(check["advice"], advice)
        self.succeeds(self.touch(front, **how))

    # Namespaces -------------------------------------------------------------------------------------------------------
    def test_where_nothing_is_in_the_way_a_session_runs(self):
        for front in ([], self.refuse(f"{SETHOSTNAME + 1000}:1"), self.nested(":")):
            self.checks(front, 0)
            self.succeeds(self.touch(front))

    def test_user_namespaces_switched_off(self):
        self.obstructs(self.nested("echo 0 > /proc/sys/user/max_user_namespaces"), "namespace limits",
                       r"^user namespaces are switched off \(user.max_user_namespaces is 0\)$", "sysctl user.max_user_namespaces=")

    def test_user_namespaces_limited_to_fewer_than_a_session_needs(self):
        self.obstructs(self.nested("echo 1 > /proc/sys/user/max_user_namespaces"), "namespace limits",
                       "user.max_user_namespaces is 1, and a session needs 2", "sysctl user.max_user_namespaces=")

    def test_network_namespaces_switched_off(self):
        self.obstructs(self.nested("echo 0 > /proc/sys/user/max_net_namespaces"), "namespace limits",
                       "^network namespaces are switched off", "sysctl user.max_net_namespaces=")

    def test_a_limit_that_others_have_used_up(self):
        # Three are allowed, and sleepers hold two of them.
        hold = "echo 3 > /proc/sys/user/max_user_namespaces\nfor i in 1 2; do unshare --user sleep 20 & done\nsleep 0.5"
        self.obstructs(self.nested(hold, "--pid", "--fork", "--kill-child", "--mount-proc"), "namespaces, tried",
                       "limit of namespaces is reached .No space left", "max_.*_namespaces")

    def test_a_filter_that_refuses_namespaces(self):
        self.obstructs(self.refuse(f"{CLONE3}:{errno.ENOSYS}"), "namespaces, tried", "system call filter around this program refuses", "clone3")

    def test_a_chroot(self):
        self.obstructs(self.nested("mount --rbind / /mnt", enter="chroot /mnt"), "namespaces, tried",
                       "refuses user namespaces .*not permitted", "a chroot")

    def test_debian_s_switch(self):
        play = self.nested("mount -t tmpfs none /proc/sys/kernel\necho 0 > /proc/sys/kernel/unprivileged_userns_clone\nmount --rbind / /mnt",
                           enter="chroot /mnt")
        self.obstructs(play, "kernel.unprivileged_userns_clone",
                       "may not make user namespaces", "sysctl kernel.unprivileged_userns_clone=1")

    def test_apparmor_that_takes_the_capabilities_away(self):
        play = self.nested("mount -t tmpfs none /proc/sys/kernel\necho 1 > /proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        self.obstructs(play + self.refuse(f"{SETHOSTNAME}:{errno.EPERM}"), "namespaces, tried", "^AppArmor restricts", "userns,")

    def test_a_container_s_masked_proc(self):
        self.obstructs(self.nested("mount --bind /dev/null /proc/uptime"), "namespaces, tried", "parts of /proc are covered", "unmask")

    # The kernel ---------------------------------------------------------------------------------------------------------
    def test_another_listener_around(self):
        self.obstructs([self.listen_program], "system call notification", "another program already listens", "run Belljar outside it", unmade=True)

    def test_belljar_inside_belljar(self):
        prefix = os.path.dirname(os.path.dirname(self.jar.program))
        run = self.jar.run([self.jar.program, "run", "--", "true"], options=["-q", "--read", prefix])
        self.assertEqual(run.status, 125, repr(run))
        self.assertRegex(run.err, "another program already listens .*; run Belljar outside it\n$")

    def test_a_kernel_without_the_notification(self):
        for rule in (f"{SECCOMP}:{errno.EINVAL}:1:&:{WAIT_KILLABLE_RECV}", f"{SECCOMP}:{errno.ENOSYS}:1:&:{NEW_LISTENER}"):
            self.obstructs(self.refuse(rule), "system call notification", "cannot report system calls", "5.19")

    def test_no_nftables(self):
        self.obstructs(self.refuse(f"{SOCKET}:{errno.EPROTONOSUPPORT}:2:=:{NETLINK_NETFILTER}"), "nftables with tproxy, tried",
                       "this kernel has no nftables", "modprobe")

    def test_without_landlock_a_session_runs_unless_its_policy_requires_it(self):
        front = self.refuse(f"{LANDLOCK}:{errno.ENOSYS}")
        self.hinders_little(front, "Landlock", "has no Landlock", "require")
        check = self.checks(front, 0)["Landlock"]
        policy = self.jar.policy(more='require = ["landlock"]\n')
        refused = self.call_in(front, "run", "-q", "-p", policy, "-C", self.jar.workspace, "--", "true")
        self.assertEqual(refused.status, 125, repr(refused))
        self.assertIn(f"{check['found']}; {check['advice']}\n", refused.err)

    def test_yama_at_its_strictest(self):
        self.obstructs(self.nested("mount -t tmpfs none /proc/sys/kernel\nmkdir /proc/sys/kernel/yama\necho 3 > /proc/sys/kernel/yama/ptrace_scope"),
                       "Yama", "ptrace_scope is 3", "reboot", unmade=True)

    # Limits -------------------------------------------------------------------------------------------------------------
    def test_a_limit_of_open_files(self):
        self.obstructs(["prlimit", "--nofile=64", "--"], "open files", "no more than 64 files may be open .* a session needs 128", "ulimit -Hn", unmade=True)
        self.hinders_little(["prlimit", "--nofile=512", "--"], "open files", "no more than 512 files", "ulimit -Hn")
        self.succeeds(self.touch(["prlimit", "--nofile=16:4096", "--"]))  # the soft limit is raised

    def test_a_limit_of_file_sizes(self):
        for size in (0, 4096):
            self.obstructs(["prlimit", f"--fsize={size}", "--"], "file size", "no file may grow beyond", "ulimit -f unlimited", unmade=True)
        self.hinders_little(["prlimit", "--fsize=100000000", "--"], "file size", "beyond 100.0 MB", "ulimit -f unlimited")

    # Folders and file systems -------------------------------------------------------------------------------------------
    def test_an_installation_on_noexec(self):
        self.obstructs(self.nested(f"mount --bind {self.jar.libexec} {self.jar.libexec}\nmount -o remount,bind,noexec {self.jar.libexec}"),
                       "programs", "mounted noexec", "exec")

    def test_a_helper_of_another_version_and_one_that_is_missing(self):
        prefix = self.world.base + "/other"
        shutil.copytree(os.path.dirname(self.jar.libexec), prefix + "/libexec")
        shutil.copytree(os.path.dirname(os.path.dirname(self.jar.program)) + "/share", prefix + "/share")
        os.mkdir(prefix + "/bin")
        shutil.copy(self.jar.program, prefix + "/bin/belljar")
        helper = prefix + "/libexec/belljar/belljar-helper"
        os.unlink(helper)
        self.obstructs([], "programs", "not installed whole: .*belljar-helper", "install it again", program=prefix + "/bin/belljar")
        with open(helper, "w", encoding="ascii") as file:
            file.write(FAKE_HELPER)
        os.chmod(helper, 0o755)
        self.obstructs([], "helper", "belljar-helper is of version 0.0.1, and belljar of", "install Belljar again",
                       program=prefix + "/bin/belljar")

    def test_a_full_disk(self):
        folder = self.world.base + "/full"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        fill = f"mount -t tmpfs -o size=256k,mode=0700 none {folder}\nhead -c 1M /dev/zero > {folder}/much 2>/dev/null || true"
        self.obstructs(self.nested(fill), "state folder", "nothing can be written to .*/full: No space left", "make room",
                       environment={"BELLJAR_STATE_DIR": folder})

    def test_state_folders_that_are_none(self):
        base = self.world.base
        with open(base + "/a-file", "w", encoding="ascii"):
            pass
        os.makedirs(base + "/open", exist_ok=True)
        os.chmod(base + "/open", 0o755)
        os.makedirs(base + "/locked/state", exist_ok=True)
        os.chmod(base + "/locked", 0o500)
        os.chmod(base + "/locked/state", 0o500)
        for path, found, advice in (("/a-file", "is not a folder", "BELLJAR_STATE_DIR"), ("/a-file/below", "is not a folder", "move it away"),
                                    ("/open", "lets others in", "chmod 700"), ("/locked/state", "cannot be written", "BELLJAR_STATE_DIR"),
                                    ("/locked/other", "cannot be written", "BELLJAR_STATE_DIR")):
            self.obstructs([], "state folder", found, advice, environment={"BELLJAR_STATE_DIR": base + path})
        self.obstructs([], "state folder", "cannot be written", "BELLJAR_STATE_DIR", environment={"BELLJAR_STATE_DIR": "/proc/state"})
        folder = self.jar.base + "/state/sessions"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chmod(folder, 0o755)
        self.addCleanup(os.chmod, folder, 0o700)
        self.obstructs([], "state folder", "/sessions lets others in", "chmod 700 .*/sessions")

    def test_a_state_folder_and_a_tmp_on_noexec(self):
        folder = self.world.base + "/noexec"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        mount = "mount -t tmpfs -o noexec,mode=0700 none "
        self.hinders_little(self.nested(mount + folder), "noexec", "/noexec lies on .*noexec", "BELLJAR_STATE_DIR",
                            environment={"BELLJAR_STATE_DIR": folder})
        installed = self.world.base + "/installed"  # the build may lie in /tmp
        os.makedirs(installed, exist_ok=True)
        front = self.nested(f"mount --rbind {os.path.dirname(os.path.dirname(self.jar.program))} {installed}\n{mount.replace('0700', '1777')} /tmp")
        self.hinders_little(front, "noexec", "/tmp of its own", "", program=installed + "/bin/belljar")
        run = self.call_in(front, "run", "-q", "-C", self.jar.workspace, "--", "sh", "-c",
                           "printf '#!/bin/sh\\nexit 9\\n' > /tmp/x; chmod +x /tmp/x; /tmp/x", program=installed + "/bin/belljar")
        self.assertEqual(run.status, 9, repr(run))

    def test_a_hidden_proc_does_not_matter(self):
        self.hinders_little(self.nested("mount -o remount,hidepid=2 /proc", "--pid", "--fork", "--kill-child", "--mount-proc"),
                            "/proc", "hidepid=", "")

    def test_an_overlay_as_root_does_not_matter(self):
        base = self.world.base
        prefix = os.path.dirname(os.path.dirname(self.jar.program))
        enter = f"""cd {base}; mkdir -p lower upper work root
mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr overlay root
cd root; mkdir -p usr etc proc dev sys tmp run var/tmp old work-space/project state installed
for folder in usr etc proc dev sys var/tmp; do mount --rbind /$folder $folder; done
mount --rbind {prefix} installed; ln -sf usr/bin usr/sbin usr/lib usr/lib64 .; chmod 700 state
pivot_root . old; umount -l /old; cd /"""
        front, how = self.nested(enter), {"program": "/installed/bin/belljar", "environment": {"BELLJAR_STATE_DIR": "/state"}}
        check = self.checks(front, 0, **how)["root file system"]
        self.assertEqual((check["state"], check["found"]), ("ok", "an overlay, as in a container: sessions run on it"))
        code = ("import os, socket\nserver = socket.socket(socket.AF_UNIX); server.bind('s.sock'); server.listen()\n"
                "client = socket.socket(socket.AF_UNIX); client.connect('s.sock'); client.send(b'x'); print(server.accept()[0].recv(1))")
        run = self.call_in(front, "run", "-q", "-C", "/work-space/project", "--", "/usr/bin/python3", "-c", code, **how)
        self.assertEqual((run.status, run.out), (0, "b'x'\n"), repr(run))


if __name__ == "__main__":
    main()
