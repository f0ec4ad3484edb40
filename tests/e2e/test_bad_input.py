"""Bad input gets one clear line and loses nothing: folders, policies, names and arguments of every byte value. What is printed
never holds a control character, and whatever its name, a session can be addressed."""

import json
import os
import re
import subprocess
import time

from world import WorldTest, main
from world.servers import wait_for

ALL_BYTES = bytes(range(1, 256))
ODD_NAMES = [b"a b", b"it's \"quoted\"", b"new\nline", b"\xff\xfe\x80", b"%s%n%%", b"-dash", b"\x1b]0;title\x07\x1b[31mred", b"tab\tbell\x07",
             b"back\\slash", "日本 ñ".encode(), "\u202eevil\u200b\x9b31m".encode(), b"*?[a]{b}$(id)`id`;&|", b"~", b"#x", b"\x7f"]


class BadInput(WorldTest):
    def belljar(self, *words, cwd=None, timeout=60, **how):
        return subprocess.run([self.jar.program, *words], capture_output=True, timeout=timeout, cwd=cwd or self.jar.workspace,
                              **({} if "stdin" in how else {"stdin": subprocess.DEVNULL}), **how)

    def assert_clean(self, *outputs):
        """Nothing but text and newlines: no byte that a terminal would take for more."""
        for output in outputs:
            text = output.decode("utf-8")  # strict
            odd = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]", text)
            self.assertIsNone(odd, repr(text[:2000]))

    def refused(self, done, sentence, status=125):
        """One line that says so, and no session of it."""
        self.assertEqual(done.returncode, status, done)
        self.assert_clean(done.stdout, done.stderr)
        self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1), done)
        self.assertRegex(done.stderr.decode(), f"^belljar: .*{sentence}")
        return done

    def run_quietly(self, *words, **how):
        done = self.belljar("run", "-q", *words, **how)
        self.assertEqual(done.returncode, 0, done)
        return done

    def row(self, name):
        return next(row for row in self.jar.sessions() if row["name"] == name)

    # Workspaces -------------------------------------------------------------------------------------------------------
    def test_a_folder_that_cannot_be_the_workspace_is_refused_in_words(self):
        with open(self.world.base + "/a-file", "w", encoding="ascii"):
            pass
        before = self.jar.sessions()
        for path, sentence in ((self.world.base + "/none", "No such file or directory; name the folder"), (self.world.base + "/a-file", "not a folder"),
                               ("/", "the whole system"), (self.world.home, "the whole home"), (self.world.base, "holds the home folder"),
                               (self.world.base + "/state", "Belljar's own folder"), ("/usr/share", "system folder"), ("", "."),
                               ("/var/backups", "belongs to uid"), (self.world.base + "/no\nne\x1b[2J", r"no\\x0ane\\x1b\[2J: No such")):
            if path:
                self.refused(self.belljar("run", "-C", path, "--", "true"), sentence)
        self.assertEqual(self.jar.sessions(), before)

    def mounted(self, options, *words):
        folder = self.jar.workspace
        script = f"mount {options}\nexec setpriv --inh-caps=-all --ambient-caps=-all -- \"$@\""
        return subprocess.run(["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "sh", "-ec", script, "sh", self.jar.program,
                               "run", "-q", "-C", folder, *words], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)

    def test_a_workspace_on_a_read_only_mount_is_refused_before_anything_starts(self):
        folder = self.jar.workspace
        bind = f"--bind {folder} {folder}\nmount -o remount,bind,ro {folder}"
        self.refused(self.mounted(bind, "--", "true"), "mounted read-only; mount it read-write")

    def test_a_workspace_on_another_file_system_works(self):
        done = self.mounted(f"-t tmpfs -o mode=0700 none {self.jar.workspace}", "--", "sh", "-c", "echo here > there && mkdir x && mv there x/ && cat x/there")
        self.assertEqual((done.returncode, done.stdout), (0, b"here\n"), done)

    def test_a_workspace_may_have_any_name(self):
        for number, name in enumerate(ODD_NAMES):
            path = os.fsencode(self.jar.base) + b"/projects/" + name
            os.makedirs(path)
            done = self.run_quietly("-n", f"odd-{number}", "-C", b"./" + name, "--", "sh", "-c", 'printf %s "$PWD"; touch made', cwd=os.path.dirname(path))
            self.assertEqual(done.stdout, path)
            self.assertTrue(os.path.exists(path + b"/made"))
            self.assert_clean(self.belljar("show", f"odd-{number}").stdout, self.belljar("audit", "show", f"odd-{number}").stdout)
        self.assert_clean(self.belljar("ls", "--all").stdout, self.belljar("__complete", "show", "").stdout.replace(b"\t", b" "))

    # Names and arguments ------------------------------------------------------------------------------------------------
    def test_arguments_of_every_byte_value_arrive_and_are_shown_as_text(self):
        words = [bytes([value]) for value in ALL_BYTES] + [ALL_BYTES, b"", b"x" * 70 + b"\xc3\xa9" * 30]
        code = "import os, sys\nos.write(1, b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
        done = self.run_quietly("-n", "all-bytes", "--", "/usr/bin/python3", "-c", code, *words)
        self.assertEqual(done.stdout.split(b"\0"), words)
        for shown in (["ls", "--all"], ["show", "all-bytes"], ["audit", "show", "all-bytes"], ["audit", "export", "all-bytes"],
                      ["ls", "--all", "--json"], ["show", "all-bytes", "--json"], ["audit", "show", "all-bytes", "--json"],
                      ["audit", "export", "all-bytes", "--format", "csv"], ["audit", "verify", "all-bytes"]):
            output = self.belljar(*shown)
            self.assertEqual(output.returncode, 0, output)
            self.assert_clean(output.stdout.replace(b"\r\n", b"\n"), output.stderr)  # CSV's line ends (RFC 4180)
        for line in self.belljar("audit", "show", "all-bytes", "--json").stdout.splitlines():
            json.loads(line)
        for line in self.belljar("ls", "--all").stdout.splitlines()[1:]:
            self.assertRegex(line, rb"^[0-9a-f]{12} ")

    def test_programs_of_any_name_are_named_by_text(self):
        for name in ODD_NAMES:
            path = os.fsencode(self.jar.workspace) + b"/" + name
            with open(path, "wb") as file:
                file.write(b"#!/bin/sh\nexit 7\n")
            os.chmod(path, 0o755)
            done = self.belljar("run", "--", b"./" + name)
            self.assertEqual(done.returncode, 7, done)
            self.assert_clean(done.stderr)
            os.unlink(path)
            gone = self.belljar("run", "-q", "--", b"./" + name)
            self.assertEqual(gone.returncode, 127, gone)
            self.assert_clean(gone.stderr)

    def test_a_session_name_of_any_byte_is_taken_or_refused_and_addresses_its_session(self):
        taken = 0
        for value in ALL_BYTES:
            name = b"n" + bytes([value]) + b"m"
            done = self.belljar("run", "-q", "-n", name, "--", "true")
            if done.returncode == 0:
                taken += 1
                shown = self.belljar("show", name)
                self.assertEqual(shown.returncode, 0, shown)
                self.assertEqual(self.belljar("rm", "-f", name).returncode, 0, name)
            else:
                self.refused(done, "session name")
        self.assertEqual(taken, 0x7f - 0x20 - 1)  # what is printable, without '/'
        for name, sentence in ((b"-x", "starts with"), (b"", "."), (b"x" * 65, "longer than 64"), ("a\u202eb".encode(), "control characters")):
            if name:
                self.refused(self.belljar("run", b"--name=" + name, "--", "true"), sentence)
        for word in (b"no\x1b[2Jne", b"\xff", b"%s", b"x" * 5000, b"../../etc", b"-"):
            for command in (["show"], ["stop"], ["rm", "-f"], ["audit", "show"], ["audit", "verify"], ["audit", "export"]):
                done = self.belljar(*command, b"./x" + word if command[-1] == "verify" else word)
                self.assertNotEqual(done.returncode, 0)
                self.assert_clean(done.stdout, done.stderr)
                self.assertLessEqual(len(done.stderr), 12000)

    def test_of_two_sessions_of_one_name_the_name_means_the_newest_that_runs(self):
        ids = []
        for _ in range(2):
            ids.append(self.belljar("run", "-d", "-n", "twin", "--", "sleep", "60").stdout.decode().strip())
            time.sleep(0.01)
        listed = self.belljar("ls").stdout.decode()
        self.assertTrue(all(f"{id}  twin" in listed for id in ids), listed)
        shown = lambda: json.loads(self.belljar("show", "--json", "twin").stdout)["id"]
        self.assertEqual(shown(), ids[1])
        self.assertEqual(self.belljar("stop", "-f", "twin").returncode, 0)
        self.assertEqual(shown(), ids[0])  # it still runs
        self.assertEqual(self.belljar("stop", "-f", ids[0]).returncode, 0)
        self.assertEqual(shown(), ids[1])  # none runs: the newest
        for id in ids:
            self.assertEqual(self.belljar("rm", "-f", id).returncode, 0)

    def test_environment_values_of_every_byte_value_arrive(self):
        code = "import os\nos.write(1, os.environb[b'ODD'])"
        done = self.run_quietly("--env", "ODD", "--", "/usr/bin/python3", "-c", code, env={**os.environb, b"ODD": ALL_BYTES})
        self.assertEqual(done.stdout, ALL_BYTES)
        for name in (b"A=B", b"A B", b"", b"\x1b[2J", b"\xff", b"HOME"):
            self.refused(self.belljar("run", b"--env=" + name, "--", "true"), ".")

    # Commands -----------------------------------------------------------------------------------------------------------
    def test_a_command_that_is_none(self):
        os.makedirs(self.jar.workspace + "/folder", exist_ok=True)
        self.refused(self.belljar("run", "--", ""), "the command is empty; write it behind")
        self.refused(self.belljar("run", "--"), "no command")
        for command, status in (("./folder", 126), ("/", 126), ("./none", 127), ("folder/none", 127), (".", 126), ("x" * 300, 126), ("/" + "x/" * 3000, 126)):
            self.refused(self.belljar("run", "-q", "--", command), ".", status)

    def test_command_lines_and_environments_as_long_as_the_kernel_takes(self):
        many = [b"\x01" * 120000] * 12 + [b"x"] * 40000
        done = self.run_quietly("--env", "LONG", "--", "sh", "-c", 'echo $# ${#LONG}', "sh", *many, env={**os.environb, b"LONG": b"\x02" * 100000})
        self.assertEqual(done.stdout, b"40012 100000\n")

    def test_without_home_term_path_and_streams_a_session_runs(self):
        bare = {name: value for name, value in os.environ.items() if name.startswith(("BELLJAR_", "XDG_"))}
        done = self.run_quietly("--", "sh", "-c", 'echo "$HOME"', env=bare)
        self.assertEqual(done.stdout.decode().strip(), self.world.home)
        for home in ("", "relative", "/none/such"):
            self.run_quietly("--", "true", env={**os.environ, "HOME": home})
        closed = subprocess.run(["sh", "-c", f'"$0" run -q -- sh -c "exec 3<&0; touch closed" <&- >&- 2>&-', self.jar.program],
                                cwd=self.jar.workspace, timeout=60)
        self.assertEqual(closed.returncode, 0)
        self.assertTrue(os.path.exists(self.jar.workspace + "/closed"))
        gone = self.world.base + "/gone"
        os.mkdir(gone)
        script = f'cd {gone} && rmdir {gone} && exec "$0" run -- true'
        self.refused(subprocess.run(["sh", "-c", script, self.jar.program], capture_output=True, timeout=60), "workspace .*No such file")

    # Policies -----------------------------------------------------------------------------------------------------------
    def test_every_error_of_a_policy_is_reported_and_run_says_how_many(self):
        wrong = self.jar.policy(more="""colour = "blue"
[workspace]
protct = ["x"]
home = "../x"
[filesystem]
read = ["relative", "/a/../b", "/proc", "~bob/x", "/with\\u001b[2J"]
write = "not a list"
[egress]
allow = ["*.com", "http://x.example", "a b", "10.0.0.1/8", "x.example:0", "x.example", "X.example.", "localhost"]
deny = [1, true, ["x"]]
[credentials]
env = ["A=B", "HOME"]
[syscalls]
profile = "lax"
deny = ["frobnicate"]
[limits]
processes = -1
memory = "lots"
duration = "1x"
""")
        done = self.belljar("policy", "check", wrong)
        self.assertEqual(done.returncode, 1)
        self.assert_clean(done.stdout, done.stderr)
        lines = (done.stdout + done.stderr).decode().splitlines()
        for word in ("colour", "protct", "workspace.home", "relative", "/a/../b", "/proc", "~bob/x", r"/with\\x1b\[2J", "filesystem.write", "'\\*.com'",
                     "http://x.example", "'a b'", "10.0.0.0/8", "x.example:0", "listed twice", "localhost", "not an integer|string is wanted", "A=B", "HOME",
                     "lax", "frobnicate", "limits.processes", "lots", "1x"):
            self.assertTrue(any(re.search(word, line) for line in lines), f"{word} in:\n" + "\n".join(lines))
        for line in lines:
            self.assertRegex(line, re.escape(wrong) + r":\d+:\d+: ")
        self.refused(self.belljar("run", "-p", wrong, "--", "true"), f"colour.*policy check .* shows that and {len(lines) - 1} more")

    def test_a_policy_that_is_no_text_of_that_kind(self):
        for number, content in enumerate((b"", b"\xff\xfe", b"version = 1\n\x00", ALL_BYTES, b"[" * 5000, b"version = 1\n" + b"a" * (9 << 20), b"version = 99\n",
                                          b"version = 1\nversion = 1\n", b"\xef\xbb\xbfversion = 2\n", b'version = 1\n[egress]\nallow = ["' + b"x" * 100000 + b'"]')):
            path = f"{self.jar.base}/config/odd-{number}.toml"
            with open(path, "wb") as file:
                file.write(content)
            checked = self.belljar("policy", "check", path)
            self.assertEqual(checked.returncode, 1, content[:50])
            self.assert_clean(checked.stdout, checked.stderr)
            self.refused(self.belljar("run", "-p", path, "--", "true"), ".")
        for name in ("none", "../default", "", "a\x1b[2Jb", "x" * 5000, "/", "/dev/zero", "/proc/self/mem", "."):
            self.refused(self.belljar("run", "--policy=" + name, "--", "true"), ".")

    def test_a_policy_of_nothing_but_errors_is_refused_quickly(self):
        for more in ("[syscalls]\ndeny = [" + ",".join(f'"cal{i}"' for i in range(100000)) + "]\n", "\n".join(f"kee{i} = 1" for i in range(60000))):
            began = time.monotonic()
            done = self.belljar("policy", "check", self.jar.policy(more=more))
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"more errors follow", done.stdout + done.stderr)
            self.assertLess(time.monotonic() - began, 3)

    def test_a_policy_file_may_have_any_name(self):
        for name in ODD_NAMES:
            path = os.fsencode(self.jar.base) + b"/config/" + name + b".toml"
            with open(path, "wb") as file:
                file.write(b"version = 1\n")
            self.run_quietly("-n", "named-policy", "-p", path, "--", "true")
            shown = self.belljar("show", "named-policy")
            self.assert_clean(shown.stdout, self.belljar("policy", "list").stdout, self.belljar("policy", "check", path).stdout)
            self.assertEqual(self.belljar("rm", "-f", "named-policy").returncode, 0)
            with open(path, "ab") as file:
                file.write(b"x = 1\n")
            self.refused(self.belljar("run", "-p", path, "--", "true"), "unknown key 'x'")

    def test_a_hundred_thousand_rules_load_quickly_and_cost_a_connection_nothing(self):
        names = [f"host-{i:06}.some-company.example" for i in range(100000)]
        plain, many = self.jar.policy(allow=["allowed.example:8080"]), self.jar.policy(allow=names + ["allowed.example:8080"])
        began = time.monotonic()
        checked = self.belljar("policy", "check", many)
        self.assertEqual(checked.returncode, 0, checked)
        took = time.monotonic() - began
        twice = self.belljar("policy", "check", self.jar.policy(allow=names + [names[777].upper()]))
        self.assertEqual((twice.returncode, (twice.stdout + twice.stderr).count(b"\n")), (1, 1), twice)
        self.assertIn(b"listed twice", twice.stdout + twice.stderr)
        began = time.monotonic()
        self.run_quietly("-p", many, "--", "true")
        started = time.monotonic() - began
        os.makedirs(self.jar.base + "/projects/narrowing/.belljar", exist_ok=True)
        with open(self.jar.base + "/projects/narrowing/.belljar/policy.toml", "w", encoding="ascii") as file:
            file.write("version = 1\n[egress]\nallow = " + json.dumps(names[:20000] + ["not-there.example"]))
        began = time.monotonic()
        narrowed = self.belljar("run", "-C", self.jar.base + "/projects/narrowing", "-p", many, "--", "true")
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual((narrowed.returncode, narrowed.stderr.count(b"not-there.example"), narrowed.stderr.count(b"host-")), (0, 1, 0), narrowed)
        code = """import socket, time
times = []
for i in range(300):
    began = time.perf_counter()
    try: socket.create_connection(('203.0.113.9', 443), 5)
    except PermissionError: pass
    times.append(time.perf_counter() - began)
    try: socket.getaddrinfo('denied-%d.example' % i, 443)
    except OSError: pass
print(sorted(times)[150] * 1e6)"""
        medians = {policy: min(float(self.run_quietly("-p", policy, "--", "/usr/bin/python3", "-c", code).stdout) for _ in range(2)) for policy in (plain, many)}
        print(f"    check {took:.2f} s, session {started:.2f} s, a denied connect {medians[plain]:.0f} µs, with 100,000 rules {medians[many]:.0f} µs")
        self.assertLess(took, 5)
        self.assertLess(started, 10)
        self.assertLess(medians[many], 2 * medians[plain] + 50)  # a walk would cost a millisecond


if __name__ == "__main__":
    main()
