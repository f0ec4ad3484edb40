"""Planted canaries: what the launcher knows and holds cannot be had inside, by any of the ways that are known."""

import os
import shutil
import socket
import subprocess

from world import WorldTest, main
from world.servers import wait_for

CANARY = "canary-5f1c0e"

SEARCH = r"""
# Reads everything readable that could hold the canary, and says where it was found.
import os, sys
needle = 'canary-' + '5f1c0e'
found = []
def look(path, limit=1 << 20):
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    try:
        data = b''
        while len(data) < limit:
            try: chunk = os.read(fd, 65536)
            except OSError: break
            if not chunk: break
            data += chunk
        if needle.encode() in data: found.append(path)
    finally:
        os.close(fd)
for pid in [p for p in os.listdir('/proc') if p.isdigit()] + ['self', 'thread-self']:
    for name in ('environ', 'cmdline', 'comm', 'maps', 'mountinfo', 'status', 'cgroup', 'auxv', 'stack', 'syscall'):
        look(f'/proc/{pid}/{name}')
    for folder in ('fd', 'root', 'cwd', 'task'):
        try: names = os.listdir(f'/proc/{pid}/{folder}')
        except OSError: continue
        if folder == 'fd':
            for n in names:
                try: target = os.readlink(f'/proc/{pid}/fd/{n}')
                except OSError: continue
                if target.startswith('/') and not target.startswith('/dev/'): look(f'/proc/{pid}/fd/{n}')
for top in [os.path.expanduser('~'), '/tmp', '/var', '/run', '/home', '/root', '/dev', '/mnt', '/srv', '/opt', '/etc'] + sys.argv[1:]:
    for folder, folders, files in os.walk(top):
        for name in files: look(os.path.join(folder, name), 65536)
for path in ('/proc/keys', '/proc/key-users', '/proc/1/root' + sys.argv[1] if len(sys.argv) > 1 else '/'): look(path)
if needle in str(dict(os.environ)): found.append('environment')
print(found)
"""


class Canaries(WorldTest):
    @classmethod
    def setUpClass(cls):
        home = cls.world.home
        for folder, name in ((".ssh", "id_ed25519"), (".aws", "credentials"), (".gnupg", "key"), (".config/gh", "hosts.yml"),
                             (".docker", "config.json"), (".kube", "config"), (".", ".netrc"), (".claude", "auth.json"), (".codex", "auth.json")):
            os.makedirs(f"{home}/{folder}", exist_ok=True)
            with open(f"{home}/{folder}/{name}", "w", encoding="ascii") as file:
                file.write(CANARY)
        os.makedirs(cls.world.base + "/projects/sibling")
        for path in (cls.world.base + "/projects/sibling/secret", cls.world.base + "/run/secret", f"/dev/shm/{os.path.basename(cls.world.base)}"):
            with open(path, "w", encoding="ascii") as file:
                file.write(CANARY)

    @classmethod
    def tearDownClass(cls):
        os.unlink(f"/dev/shm/{os.path.basename(cls.world.base)}")

    def environment(self, **more):
        return dict(os.environ, AWS_SECRET_ACCESS_KEY=CANARY, GITHUB_TOKEN=CANARY, SSH_AUTH_SOCK=self.world.base + "/run/agent",
                    DBUS_SESSION_BUS_ADDRESS="unix:path=" + self.world.base + "/run/bus", **more)

    def test_the_search_finds_them_outside(self):
        """The control: the same search, run outside, does find the canaries."""
        done = subprocess.run(["/usr/bin/python3", "-c", SEARCH, self.world.base], capture_output=True, text=True, env=self.environment())
        self.assertIn("environment", done.stdout, done.stderr)
        self.assertIn(".ssh/id_ed25519", done.stdout)
        self.assertIn("projects/sibling/secret", done.stdout)

    def test_neither_files_nor_environment_nor_proc_nor_keys_hold_any(self):
        run = self.succeeds(self.jar.python(SEARCH, self.world.base, environment=self.environment()))
        self.assertEqual(run.out, "[]\n")

    def test_only_named_variables_pass(self):
        run = self.succeeds(self.jar.run(["env"], environment=self.environment(EDITOR="vi", PASSED="yes", OTHER="no"), options=["--env", "PASSED"]))
        names = {line.split("=")[0] for line in run.out.splitlines()}
        self.assertIn("PASSED", names)
        self.assertIn("HOME=" + self.world.home, run.out.splitlines())
        for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "OTHER", "XDG_RUNTIME_DIR",
                     "BELLJAR_STATE_DIR"):
            self.assertNotIn(name, names)

    def test_the_environment_of_process_1_is_not_the_launcher_s(self):
        run = self.jar.run(["sh", "-c", "tr '\\0' '\\n' </proc/1/environ; tr '\\0' '\\n' </proc/1/cmdline"], environment=self.environment())
        self.assertNotIn(CANARY, run.out)
        self.assertNotIn("BELLJAR_STATE_DIR", run.out)
        self.assertNotIn("belljar run", run.out)

    def test_process_1_cannot_be_looked_into(self):
        """It has the user and the privileges of every process inside: only that it is not dumpable keeps them apart."""
        code = ("import os\nfor look in (lambda p: os.listdir(p + '/fd'), lambda p: os.readlink(p + '/exe'), lambda p: os.readlink(p + '/cwd'),\n"
                "             lambda p: open(p + '/environ').close(), lambda p: open(p + '/mem', 'rb').close(), lambda p: open(p + '/maps').read()):\n"
                "    for process in ('/proc/self', '/proc/1'):\n"
                "        try: look(process); print('seen', end=' ')\n        except PermissionError: print('refused', end=' ')\n")
        self.assertEqual(self.succeeds(self.jar.python(code)).out.split(), ["seen", "refused"] * 6)

    def given_to_the_helper(self):
        """(environment, what is open): of a helper that only writes down what it was started with, as the real one is soon gone."""
        prefix = self.world.base + "/with-another-helper"
        os.makedirs(prefix + "/bin", exist_ok=True)
        os.makedirs(prefix + "/libexec/belljar", exist_ok=True)
        shutil.copy(self.jar.program, prefix + "/bin/belljar")
        with open(os.open(prefix + "/libexec/belljar/belljar-helper", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o700), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\ncd {prefix}; cat /proc/$$/environ > environ; /bin/ls -l /proc/$$/fd > open; /bin/mv environ open libexec\n")
        secret = os.open(self.world.home + "/.ssh/id_ed25519", os.O_RDONLY)
        self.assertGreater(secret, 3)  # which the helper's connection takes
        try:
            words = [prefix + "/bin/belljar", *self.jar.command(["true"])[1][1:]]
            done = subprocess.run(words, env=self.environment(), pass_fds=[secret], stdin=subprocess.DEVNULL, capture_output=True)
        finally:
            os.close(secret)
        self.assertEqual(done.returncode, 125, done.stderr)
        wait_for(lambda: os.path.exists(prefix + "/libexec/open"), "the helper's word")
        with open(prefix + "/libexec/environ", "rb") as environment, open(prefix + "/libexec/open", encoding="utf-8") as opened:
            return environment.read(), opened.read()

    def test_the_helper_starts_without_the_launcher_s_environment(self):
        self.assertEqual(self.given_to_the_helper()[0], b"")

    def test_the_helper_starts_without_the_launcher_s_descriptors(self):
        opened = self.given_to_the_helper()[1]
        self.assertRegex(opened, r"3 -> socket:")
        self.assertNotIn("/.ssh/", opened)

    def seen_from_outside(self, comm, look):
        """What `look` finds in the /proc/PID of that program of Belljar's while a session runs."""
        before = self.jar.processes()
        name, process = self.jar.start(["/bin/sh", "-c", "touch ready; exec sleep 60"])
        try:
            self.jar.wait_for_file("ready")
            pid, = self.jar.pids_of(comm, before)
            return look(f"/proc/{pid}")
        finally:
            process.kill()
            process.communicate()
            os.unlink(self.jar.workspace + "/ready")

    def test_the_supervisor_starts_without_any_environment(self):
        def look(folder):
            with open(folder + "/environ", "rb") as file:
                return file.read()
        self.assertEqual(self.seen_from_outside("belljar-supervisor", look), b"")

    def test_the_supervisor_is_confined_itself(self):
        def look(folder):
            with open(folder + "/status", encoding="utf-8") as file:
                status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            privileges = [int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
            return privileges, status["NoNewPrivs"], sorted(os.listdir(folder + "/root"))
        self.assertEqual(self.seen_from_outside("belljar-supervisor", look), ([0] * 5, "1", ["proc", "state"]))

    def test_the_program_of_process_1_lies_on_a_read_only_mount(self):
        """Else who gets hold of /proc/1/exe writes into the file that every later session runs."""
        flags = self.seen_from_outside("belljar-init", lambda folder: os.statvfs(folder + "/exe").f_flag)
        self.assertTrue(flags & os.ST_RDONLY)
        self.assertFalse(os.statvfs(self.jar.libexec + "/belljar-init").f_flag & os.ST_RDONLY)  # the control

    def test_the_launcher_s_command_line_is_not_visible(self):
        code = ("import os\nfor p in os.listdir('/proc'):\n    if p.isdigit():\n"
                "        try: print(open(f'/proc/{p}/cmdline').read().replace(chr(0), ' '))\n        except OSError: pass")
        run = self.succeeds(self.jar.python(code, name=CANARY))
        self.assertNotIn(CANARY, run.out)

    def test_inherited_descriptors_do_not_pass(self):
        secret = os.open(self.world.home + "/.ssh/id_ed25519", os.O_RDONLY)
        folder = os.open(self.world.base, os.O_RDONLY | os.O_DIRECTORY)
        code = "import os\nprint(sorted(int(n) for n in os.listdir('/proc/self/fd')))"
        name, words = self.jar.command(["/usr/bin/python3", "-c", code])
        for number in (secret, folder):
            os.set_inheritable(number, True)
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, pass_fds=(secret, folder))
        os.close(secret), os.close(folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "[0, 1, 2, 3]\n")  # 3 is the listing itself

    def test_a_file_given_as_standard_input_cannot_be_reopened_for_writing(self):
        path = self.world.home + "/input"
        for stream in ("0", "1", "2"):
            with self.subTest(stream=stream):
                with open(path, "w", encoding="ascii") as file:
                    file.write("untouched")
                code = (f"import os, sys\ntry:\n    fd = os.open('/proc/self/fd/{stream}', os.O_RDWR | os.O_TRUNC); os.write(fd, b'gone')\n"
                        "    os.lseek(fd, 0, 0)\nexcept OSError: pass\n")
                name, words = self.jar.command(["/usr/bin/python3", "-c", code], options=["-q"])
                streams = {0: subprocess.DEVNULL, 1: subprocess.DEVNULL, 2: subprocess.DEVNULL}
                number = os.open(path, os.O_RDONLY)
                streams[int(stream)] = number
                done = subprocess.run(words, stdin=streams[0], stdout=streams[1], stderr=streams[2])
                os.close(number)
                self.assertNotIn(done.returncode, (125, 126, 127))
                with open(path, encoding="ascii") as file:
                    self.assertEqual(file.read(), "untouched")

    def test_no_file_given_as_a_stream_is_itself_inside(self):
        path = self.world.home + "/stream"
        name, words = self.jar.command(["/bin/sh", "-c", "for n in 0 1 2; do readlink /proc/self/fd/$n > stream-$n; done"], options=["-q"])
        with open(path, "w+b") as file:
            self.assertEqual(subprocess.run(words, stdin=file, stdout=file, stderr=file).returncode, 0)
        for number in "012":
            with open(self.jar.workspace + "/stream-" + number, encoding="utf-8") as file:
                self.assertRegex(file.read(), r"^pipe:" if number != "1" else r"stream-1$")  # 1 is redirected to be read

    def test_agents_of_the_host_are_not_reachable(self):
        """By their path, by an abstract name, and by what the environment said."""
        visitors = []
        sockets = []
        for address in (self.world.base + "/run/agent", self.world.base + "/run/bus", "\0" + CANARY, "\0/tmp/.X11-unix/X0"):
            sock = socket.socket(socket.AF_UNIX)
            sock.bind(address)
            sock.listen(8)
            sock.setblocking(False)
            sockets.append(sock)
        code = ("import socket, sys\nfor a in sys.argv[1:]:\n    s = socket.socket(socket.AF_UNIX)\n"
                "    try: s.connect(a.replace('@', chr(0))); print('reached', a)\n    except OSError as e: print(e.strerror)")
        run = self.succeeds(self.jar.python(code, self.world.base + "/run/agent", self.world.base + "/run/bus", "@" + CANARY,
                                            "@/tmp/.X11-unix/X0", "/run/docker.sock", environment=self.environment()))
        self.assertNotIn("reached", run.out)
        for sock in sockets:
            try:
                visitors.append(sock.accept())
            except BlockingIOError:
                pass
            sock.close()
        self.assertEqual(visitors, [])

    def test_the_control_socket_of_belljar_is_not_reachable(self):
        code = "import os\nprint([os.path.join(d, f) for t in ('/run', '/tmp', '/var', os.path.expanduser('~')) for d, _, fs in os.walk(t) for f in fs if f.endswith('.sock')])"
        self.assertEqual(self.succeeds(self.jar.python(code)).out, "[]\n")

    def test_the_home_is_private_and_empty_at_first(self):
        run = self.succeeds(self.jar.run(["sh", "-c", "cd && pwd && find . -type f"]))
        self.assertEqual(run.out, self.world.home + "\n")
        self.succeeds(self.jar.run(["sh", "-c", "echo kept > ~/note"]))
        self.assertFalse(os.path.exists(self.world.home + "/note"))


if __name__ == "__main__":
    main()
