"""Debuggers on the session's own processes; pid 1, which is ours, is out of their reach."""

import os

from world import WorldTest, main

PROGRAM = """#include <stdio.h>
#include <unistd.h>
static int twice(int value) { return value * 2; }
int main(int count, char** words) {
    (void)words;
    if (count > 1) { puts("waiting"); fflush(stdout); for (;;) sleep(1); }
    printf("%d\\n", twice(21));
    return 0;
}
"""


class Debuggers(WorldTest):
    def setUp(self):
        self.program = self.jar.workspace + "/debugged"
        if os.path.exists(self.program):
            return
        with open(self.program + ".c", "w", encoding="ascii") as file:
            file.write(PROGRAM)
        self.succeeds(self.jar.run(["gcc", "-g", "-O0", "-o", self.program, self.program + ".c"]))

    def gdb(self, *commands, more=()):
        words = ["gdb", "-nx", "-batch"]
        for command in commands:
            words += ["-ex", command]
        return words + list(more)

    def test_gdb_starts_a_program_stops_at_a_breakpoint_and_shows_where(self):
        run = self.succeeds(self.jar.run(self.gdb("break twice", "run", "backtrace", "print value", "continue", more=[self.program])))
        self.assertRegex(run.out, r"#0 +twice \(value=21\)")
        self.assertRegex(run.out, r"#1 .* main ")
        self.assertIn("$1 = 21", run.out)
        self.assertIn("exited normally", run.out)

    def test_gdb_attaches_to_a_running_process_of_the_session(self):
        script = (f"{self.program} wait >/dev/null & sleep .5\n"
                  "gdb -nx -batch -ex 'backtrace' -ex 'detach' -p $! 2>&1; kill $!")
        run = self.jar.run(["sh", "-c", script])
        self.assertRegex(run.out, r"#\d+ .* main \(count=2")

    def test_gdb_does_not_attach_to_pid_1_which_lives_on(self):
        run = self.jar.run(["sh", "-c", "gdb -nx -batch -p 1 2>&1; echo after"])
        self.assertIn("Operation not permitted", run.out)
        self.assertIn("after", run.out)

    def test_strace_follows_children_and_shows_a_denied_call(self):
        run = self.jar.run(["strace", "-f", "-e", "trace=execve,unshare", "sh", "-c", "/bin/true; unshare -n true; exit 0"])
        self.assertEqual(run.status, 0, repr(run))
        self.assertRegex(run.err, r'\[pid +\d+\] execve\("/bin/true"')
        self.assertRegex(run.err, r"unshare\(CLONE_NEWNET\) += -1 EPERM")

    def test_strace_counts_and_attaches(self):
        self.assertIn("calls", self.succeeds(self.jar.run(["strace", "-c", "true"])).err)
        script = f"{self.program} wait >/dev/null & sleep .3; timeout -s INT 2 strace -p $! 2>&1 | head -3; kill $!"
        self.assertIn("nanosleep", self.jar.run(["sh", "-c", script]).out)

    def test_under_the_strict_profile_there_is_no_tracing_and_it_is_said(self):
        run = self.jar.run(["strace", "true"], policy=self.jar.policy(more='[syscalls]\nprofile = "strict"\n'))
        self.assertNotEqual(run.status, 0)
        self.assertTrue(self.jar.events(run.name, "syscall-denied", syscall="ptrace"))


if __name__ == "__main__":
    main()
