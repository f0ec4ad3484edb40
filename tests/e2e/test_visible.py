"""What is visible inside is what the policy says, and nothing else: the whole mount table and a walk of / are compared."""

import json
import os

from world import WorldTest, main

LOOK = r"""
import json, os, sys
mounts = []
for line in open('/proc/self/mountinfo'):
    left, right = line.rstrip('\n').split(' - ')
    left, right = left.split(), right.split()
    unescape = lambda s: s.encode().decode('unicode_escape').encode('latin-1').decode('utf-8')
    mounts.append({'at': unescape(left[4]), 'options': left[5].split(','), 'type': right[0], 'super': right[-1].split(',')})
walk, writable = [], []
skip = set(sys.argv[1].split(':'))
for folder, folders, files in os.walk('/'):
    folders[:] = [f for f in folders if os.path.join(folder, f) not in skip]
    for name in folders + files:
        path = os.path.join(folder, name)
        walk.append(path + ('/' if name in folders and not os.path.islink(path) else ''))
for folder in sorted({'/'} | {p for p in walk if p.endswith('/')}):
    probe = os.path.join(folder, '.probe')
    try: os.close(os.open(probe, os.O_CREAT | os.O_WRONLY)); os.unlink(probe); writable.append(folder.rstrip('/') or '/')
    except OSError: pass
for path in walk:
    if not path.endswith('/') and not os.path.islink(path):
        try: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)); writable.append(path)
        except OSError: pass
json.dump({'mounts': mounts, 'walk': walk, 'writable': writable}, open('look.json', 'w'))
"""

# What the sandbox makes itself (docs/policy.md, docs/architecture.md)
OWN_MOUNTS = {"/", "/proc", "/dev", "/dev/pts", "/dev/shm", "/dev/mqueue", "/tmp", "/var/tmp", "/run", "/etc", "/sys"}
DEVICES = {"/dev/" + name for name in ("null", "zero", "full", "random", "urandom", "tty", "console", "ptmx", "fd", "stdin", "stdout",
                                       "stderr", "pts", "shm", "mqueue", "core")}


def inside(path, folders):
    return any(path == f or path.startswith(f.rstrip("/") + "/") for f in folders)


class Visible(WorldTest):
    @classmethod
    def setUpClass(cls):
        jar, base = cls.jar, cls.world.base
        shown = jar.call("policy", "show", "default", "--json")
        policy = json.loads(shown.out)
        policy = policy.get("policy", policy)
        cls.system = [p.rstrip("/") for p in policy["filesystem"]["system"]]
        for path in (base + "/projects/sibling", base + "/home/.ssh", jar.workspace + "/src"):
            os.makedirs(path)
        for path in (base + "/projects/sibling/secret", base + "/home/.ssh/id", jar.workspace + "/src/file"):
            with open(path, "w", encoding="ascii") as file:
                file.write("here")
        cls.result = jar.python(LOOK, "/proc:/usr", timeout=120)
        if cls.result.status == 0:
            with open(jar.workspace + "/look.json", encoding="utf-8") as file:
                cls.look = json.load(file)

    def setUp(self):
        self.succeeds(self.result)

    def real_system(self):
        return self.system + [os.path.realpath(p) for p in self.system if os.path.exists(p)]

    def test_every_mount_is_one_the_policy_or_the_sandbox_accounts_for(self):
        known = OWN_MOUNTS | {self.jar.workspace, self.world.home}
        strange = [m for m in self.look["mounts"] if m["at"] not in known and not inside(m["at"], self.real_system()) and
                   not m["at"].startswith(("/proc/", "/etc/", "/dev/", self.jar.workspace + "/"))]
        self.assertEqual(strange, [])
        devices = [m for m in self.look["mounts"] if m["at"].startswith("/dev/") and m["at"] not in OWN_MOUNTS | DEVICES]
        self.assertEqual(devices, [])

    def test_every_system_mount_is_read_only_without_setuid_and_devices(self):
        for mount in self.look["mounts"]:
            with self.subTest(mount=mount):
                if inside(mount["at"], self.real_system()):
                    self.assertIn("ro", mount["options"])
                if not mount["at"].startswith("/dev"):
                    self.assertIn("nodev", mount["options"])
                self.assertIn("nosuid", mount["options"])

    def test_writable_is_the_workspace_the_home_and_scratch_only(self):
        allowed = [self.jar.workspace, self.world.home, "/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue"]
        strange = [path for path in self.look["writable"] if not inside(path, allowed) and path not in DEVICES and not
                   path.startswith("/dev/pts/")]
        self.assertEqual(strange, [])
        self.assertIn(self.jar.workspace, self.look["writable"])

    def test_a_walk_finds_no_file_that_is_not_accounted_for(self):
        ancestors = set()
        for path in [self.jar.workspace, self.world.home, *OWN_MOUNTS, *self.real_system()]:
            while path != "/":
                ancestors.add(path)
                path = os.path.dirname(path)
        accounted = [self.jar.workspace, "/etc", *self.real_system()]
        strange = [p for p in self.look["walk"] if p.rstrip("/") not in ancestors and not inside(p.rstrip("/"), accounted) and
                   p.rstrip("/") not in DEVICES and not p.startswith("/dev/pts/") and not p.startswith("/sys/")]
        self.assertEqual(strange, [])

    def test_nothing_of_the_host_s_home_folders_or_runtime_folder_is_there(self):
        text = "\n".join(self.look["walk"])
        for hidden in ("sibling", ".ssh", "/state", "record.db", "session.sock"):
            self.assertNotIn(hidden, text)

    def test_etc_is_the_session_s_own(self):
        run = self.succeeds(self.jar.run(["sh", "-c", "cat /etc/hosts /etc/resolv.conf; getent passwd | cut -d: -f1 | sort; hostname"]))
        self.assertNotIn("in-hosts-file.example", run.out)
        self.assertNotIn("192.0.2.53", run.out)
        self.assertIn("tess", run.out.split())
        for name in ("shadow", "sudoers", "ssh/ssh_host_ed25519_key", "machine-id"):
            self.assertNotIn("/etc/" + name, self.look["walk"])

    def test_only_the_session_s_processes_are_there(self):
        code = "import os\nprint(sorted(open(f'/proc/{p}/comm').read().strip() for p in os.listdir('/proc') if p.isdigit()))"
        names = eval(self.succeeds(self.jar.python(code)).out)
        self.assertEqual(len(names), 2, names)  # init and python
        self.assertIn("python3", "".join(names))

    def test_masked_and_read_only_parts_of_proc_give_nothing_away(self):
        code = r"""
import os
for path in ('/proc/kcore', '/proc/keys', '/proc/timer_list', '/proc/sched_debug', '/proc/kallsyms', '/proc/kmsg', '/proc/sysrq-trigger'):
    try:
        with open(path, 'rb') as f: data = f.read(200)
        if data.strip(b'\0 \n') and not all(line.startswith(b'0000000000000000') for line in data.splitlines()[:1]): print('read', path, data[:50])
    except OSError: pass
for path in ('/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/drop_caches', '/proc/self/oom_score_adj',
             '/proc/sys/kernel/hostname', '/proc/sys/net/ipv4/ip_forward', '/proc/irq/default_smp_affinity'):
    if path == '/proc/self/oom_score_adj': continue
    try: os.close(os.open(path, os.O_WRONLY)); print('writable', path)
    except OSError: pass
"""
        self.assertEqual(self.succeeds(self.jar.python(code)).out, "")

    def test_what_of_proc_tells_of_the_host_is_masked(self):
        """A mask is a mount of its own, which reads as empty; the control: outside there is something to read."""
        at = {m["at"] for m in self.look["mounts"]}
        for path in ("/proc/interrupts", "/proc/kallsyms", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/kcore", "/proc/acpi", "/proc/scsi"):
            if os.path.exists(path):
                self.assertIn(path, at)
        with open("/proc/interrupts", "rb") as file:
            self.assertTrue(file.read())
        self.assertEqual(self.succeeds(self.jar.run(["cat", "/proc/interrupts", "/proc/key-users", "/proc/kallsyms"])).out, "")

    def test_what_of_proc_steers_the_kernel_is_mounted_read_only(self):
        """Nobody inside is root, so that the modes refuse as well; the mounts are for the day when they do not."""
        options = {m["at"]: m["options"] for m in self.look["mounts"]}
        for path in ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"):
            if os.path.exists(path):
                self.assertIn("ro", options.get(path, []), path)

    def test_the_scratch_space_ends_where_the_policy_says(self):
        policy = self.jar.policy(more='[limits]\nscratch = "16MiB"\n')
        code = ("import errno\nwritten = 0\ntry:\n    for n in range(3):\n        with open(f'/tmp/{n}', 'wb', 0) as file:\n"
                "            for _ in range(12): written += file.write(bytes(1 << 20))\nexcept OSError as e: print(errno.errorcode[e.errno], written <= 16 << 20)")
        self.assertEqual(self.succeeds(self.jar.python(code, policy=policy)).out, "ENOSPC True\n")

    def test_no_capability_and_no_new_privileges(self):
        run = self.succeeds(self.jar.run(["grep", "-E", "^(Cap|NoNewPrivs|Seccomp:|Uid|Groups)", "/proc/self/status"]))
        lines = dict(line.split(":", 1) for line in run.out.splitlines())
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(lines[name], 16), 0, name)
        self.assertEqual(lines["NoNewPrivs"].strip(), "1")
        self.assertEqual(lines["Seccomp"].strip(), "2")
        self.assertEqual(lines["Uid"].split(), [str(os.getuid())] * 4)

    def test_extra_folders_are_read_only_and_hidden_ones_empty(self):
        extra = self.world.base + "/projects/extra"
        os.makedirs(extra + "/deep")
        with open(extra + "/deep/file", "w", encoding="ascii") as file:
            file.write("extra")
        with open(self.jar.workspace + "/.env", "w", encoding="ascii") as file:
            file.write("hidden")
        policy = self.jar.policy(more=f'[filesystem]\nread = ["{extra}"]\nhide = [".env"]\n')
        run = self.succeeds(self.jar.run(["sh", "-c", f"cat {extra}/deep/file .env; echo x 2>/dev/null > {extra}/deep/file; rm -f .env 2>/dev/null; true"],
                                         policy=policy))
        self.assertEqual(run.out, "extra")
        with open(extra + "/deep/file", encoding="ascii") as file:
            self.assertEqual(file.read(), "extra")
        with open(self.jar.workspace + "/.env", encoding="ascii") as file:
            self.assertEqual(file.read(), "hidden")

    def test_what_is_hidden_or_read_only_deep_in_the_workspace_stays_so_under_every_name(self):
        for name in ("a/b/secret", "a/b/fixed", "a/other"):
            os.makedirs(os.path.dirname(f"{self.jar.workspace}/{name}"), exist_ok=True)
            with open(f"{self.jar.workspace}/{name}", "w", encoding="ascii") as file:
                file.write("content")
        policy = self.jar.policy(more=f'[filesystem]\nread = ["{self.jar.workspace}/a/b/fixed"]\nhide = ["a/b/secret"]\n')
        run = self.jar.run(["sh", "-c", "mv a a2; mv a/b b2; mv a/b/secret c; echo x > a/b/fixed; cat a/b/secret; mv a/other a/b/moved; cat a/b/moved"], policy=policy)
        self.assertEqual(run.out, "content", run.err)  # the one that is neither
        self.assertEqual(sorted(os.listdir(self.jar.workspace + "/a/b")), ["fixed", "moved", "secret"])
        after = self.succeeds(self.jar.run(["sh", "-c", "cat a/b/secret; find . -name 'secret*' -size +0"], policy=policy))
        self.assertEqual(after.out, "")
        with open(self.jar.workspace + "/a/b/fixed", encoding="ascii") as file:
            self.assertEqual(file.read(), "content")

    def test_the_layers_in_the_record_are_all_enforced(self):
        layers = json.dumps(self.one_event(self.result.name, "session-started")["layers"])
        for name in ("landlock", "filter", "user-namespace"):
            self.assertIn(name, layers)


if __name__ == "__main__":
    main()
