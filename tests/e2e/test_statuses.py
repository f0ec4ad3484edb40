"""How a run ends for the caller: the command's own status, or one of Belljar's, with one line that says what, why, what next."""

import fcntl
import os
import signal
import subprocess

from world import WorldTest, main
from world.servers import wait_for


class Statuses(WorldTest):
    def test_the_command_s_own_status_is_passed_on(self):
        for status in (0, 1, 7, 124, 255):
            run = self.jar.run(["sh", "-c", f"exit {status}"])
            self.assertEqual(run.status, status, repr(run))

    def test_a_signal_is_128_more(self):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
            self.assertEqual(self.jar.run(["sh", "-c", f"kill -{number.value} $$"]).status, 128 + number)

    def test_127_for_what_is_not_found_and_126_for_what_may_not_be_executed(self):
        missing = self.jar.run(["no-such-program"])
        self.assertEqual(missing.status, 127, repr(missing))
        self.assertRegex(missing.err, r"cannot execute no-such-program: .*; install it")  # though the jar's runs are quiet
        with open(self.jar.workspace + "/plain", "w", encoding="ascii") as file:
            file.write("text")
        self.assertEqual(self.jar.run(["./plain"]).status, 126)
        self.assertEqual(self.jar.run(["/usr"]).status, 126)

    def test_the_reason_of_a_session_that_was_stopped_before_its_command_began_is_in_the_summary(self):
        path = self.jar.workspace + "/leased"
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\ntouch began\n")
        os.chmod(path, 0o755)
        before = signal.signal(signal.SIGIO, signal.SIG_IGN)
        with open(path, "r+b", buffering=0) as held:  # the lease lets execve wait for us (fcntl(2): F_SETLEASE)
            fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            name, words = self.jar.command(["./leased"])
            words.remove("-q") if "-q" in words else None
            run = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for(lambda: any(row["name"] == name for row in self.jar.sessions()), "the session")
            self.succeeds(self.jar.call("stop", "--force", name))
            _, err = run.communicate(timeout=30)
        signal.signal(signal.SIGIO, before)
        self.assertFalse(os.path.exists(self.jar.workspace + "/began"))
        self.assertEqual(run.returncode, 128 + signal.SIGKILL, err)
        self.assertRegex(err.decode(), rf"{name} \([0-9a-f]{{12}}\) ended with status 137 \(signal 9\) after [^:]*: it was stopped")

    def test_a_script_with_an_interpreter_line_runs(self):
        with open(self.jar.workspace + "/script", "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 9\n")
        os.chmod(self.jar.workspace + "/script", 0o755)
        run = self.jar.run(["./script"])
        self.assertEqual(run.status, 9, repr(run))

    def test_a_very_long_command_line_runs_and_its_record_has_the_front_of_it(self):
        words = ["word%06d" % i for i in range(60000)] + ["\x01" * 100000]
        run = self.succeeds(self.jar.run(["sh", "-c", "echo $#", "sh", *words]))
        self.assertEqual(run.out, "60001\n")
        argv = self.one_event(run.name, "session-started")["argv"]
        self.assertEqual(argv[:5], ["sh", "-c", "echo $#", "sh", "word000000"])
        self.assertLess(sum(map(len, argv)), 4200)
        self.assertTrue(argv[-1].endswith("…"), argv[-1])

    def test_125_and_one_line_when_belljar_itself_cannot(self):
        broken = self.jar.policy(more='[egress]\nalow = ["x.example"]\n')
        for how in ({"policy": broken}, {"policy": self.world.base + "/none.toml"}, {"allow": ["*.com"]}, {"allow": ["a b"]},
                    {"policy": self.jar.policy(more='[egress]\ndefault = "ask"\n')},
                    {"policy": self.jar.policy(more='require = ["apparmor"]\n')}):
            run = self.jar.run(["touch", "ran"], **how)
            self.assertEqual(run.status, 125, f"{how}: {run!r}")
            self.assertTrue(run.err.strip(), how)
            self.assertFalse(os.path.exists(self.jar.workspace + "/ran"), how)
        run = self.jar.run(["true"], policy=broken)
        self.assertRegex(run.err, r":3:1: .*alow.*allow")

    def test_a_workspace_s_policy_can_narrow_and_not_widen(self):
        os.mkdir(self.jar.workspace + "/.belljar")
        path = self.jar.workspace + "/.belljar/policy.toml"
        try:
            with open(path, "w", encoding="ascii") as file:
                file.write('version = 1\n[egress]\nallow = ["allowed.example", "denied.example"]\n')
            look = "import socket, sys\nfor n in ('allowed.example', 'second.example', 'denied.example'):\n    try: socket.gethostbyname(n); print(n)\n    except OSError: pass"
            run = self.succeeds(self.jar.python(look, allow=["allowed.example", "second.example"]))
            self.assertEqual(run.out, "allowed.example\n")
            with open(path, "w", encoding="ascii") as file:
                file.write('version = 1\n[workspace]\nunprotect = [".git/hooks"]\n')
            self.assertEqual(self.jar.run(["true"]).status, 125)
        finally:
            os.unlink(path)
            os.rmdir(self.jar.workspace + "/.belljar")

    def test_every_verb_has_help_and_an_unknown_one_is_an_error(self):
        for words in ([], ["run"], ["ls"], ["audit"], ["audit", "verify"], ["policy"], ["doctor"]):
            self.succeeds(self.jar.call(*words, "--help"))
        self.assertNotEqual(self.jar.call("frobnicate").status, 0)

    def test_doctor_finds_this_machine_able(self):
        doctor = self.jar.call("doctor", "--json")
        self.assertEqual(doctor.status, 0, repr(doctor))

    def test_the_built_in_policies_are_listed_shown_and_pass_their_own_check(self):
        listed = self.succeeds(self.jar.call("policy", "list"))
        self.assertIn("default", listed.out)
        self.succeeds(self.jar.call("policy", "show", "default"))
        self.succeeds(self.jar.call("policy", "check", self.jar.policy(allow=["allowed.example"])))
        self.assertNotEqual(self.jar.call("policy", "check", self.jar.policy(more="[egres]\n")).status, 0)

    def test_an_argument_is_passed_on_to_the_byte(self):
        words = ["", " ", "a b", "$(id)", "`id`", "*", "--", "-n", "é\n", "'", '"', "\\", "\x01"]
        name, command = self.jar.command(["/usr/bin/python3", "-c", "import os, sys\nos.write(1, b'\\0'.join(map(os.fsencode, sys.argv[1:])))", *words, b"\xff\xfe"])
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stdout.split(b"\0"), [w.encode() for w in words] + [b"\xff\xfe"], done.stderr)
        self.assertEqual(self.jar.events(name, "session-started")[0]["argv"][3:-1], words)

    def test_sudo_and_other_setuid_programs_gain_nothing(self):
        run = self.jar.run(["/usr/bin/python3", "-c", "import os, subprocess\nprint(os.stat('/usr/bin/passwd').st_mode & 0o4000 != 0)\n"
                            "print(subprocess.run(['/usr/bin/su', '-c', 'id'], stdin=subprocess.DEVNULL, capture_output=True).returncode != 0)"])
        self.assertEqual(run.out, "True\nTrue\n", repr(run))


if __name__ == "__main__":
    main()
