"""However a session ends, nothing of it is left one second later; it dies with its supervisor and outlives the helper."""

import os
import signal
import subprocess
import time

from world import WorldTest, main
from world.servers import wait_for

DAEMONS = r"""
import os, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)
for i in range(20):  # double-forked, in sessions of their own, deaf to polite signals
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(1000)
        os._exit(0)
    os.wait()
open('ready', 'w').close()
"""
STAY = "\nwhile True: time.sleep(1000)"


class Death(WorldTest):
    def setUp(self):
        for name in ("ready", "go"):
            if os.path.exists(self.jar.workspace + "/" + name):
                os.unlink(self.jar.workspace + "/" + name)
        self.before = self.jar.processes()

    def tearDown(self):
        for pid in set(self.jar.processes()) - set(self.before):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

    def gone(self, seconds=1.0):
        self.assertEqual(self.jar.nothing_left(self.before, seconds), {})

    def session(self, code=DAEMONS + STAY, **how):
        name, process = self.jar.start(["/usr/bin/python3", "-c", code], **how)
        self.jar.wait_for_file("ready")
        return name, process

    def supervisor(self):
        found = self.jar.pids_of("belljar-supervisor", self.before)
        self.assertTrue(found, self.jar.processes())
        return found

    def test_after_an_exit_its_daemons_are_gone(self):
        run = self.jar.python(DAEMONS + "\nsys.exit(3)")
        self.assertEqual(run.status, 3, repr(run))
        self.gone()

    def test_after_a_signal_of_its_own_they_are_gone(self):
        run = self.jar.python(DAEMONS + "\nos.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(run.status, 128 + signal.SIGKILL, repr(run))
        self.gone()

    def test_a_grandchild_that_keeps_the_output_open_does_not_keep_the_run(self):
        start = time.monotonic()
        run = self.jar.run(["sh", "-c", "(sleep 1000 &) ; echo done"])
        self.assertEqual(run.out, "done\n")
        self.assertLess(time.monotonic() - start, 5)
        self.gone()

    def test_when_the_supervisor_is_killed_the_session_dies(self):
        name, process = self.session()
        for pid in self.supervisor():
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(process.wait(5), 125)
        self.assertTrue(process.stderr.read().strip())
        self.gone()
        self.assertEqual(self.jar.call("audit", "verify", name).status, 2)  # whole, but nobody was left to seal it
        kinds = [e["kind"] for e in self.jar.events(name)]
        self.assertEqual(kinds[0], "session-started")

    def test_what_was_recorded_before_the_supervisor_was_killed_is_there(self):
        code = "import ctypes, time\nctypes.CDLL(None).syscall(ctypes.c_long(321), ctypes.c_long(77), None, ctypes.c_long(0))\nopen('ready', 'w').close()" + STAY
        name, process = self.session(code)
        time.sleep(0.2)
        for pid in self.supervisor():
            os.kill(pid, signal.SIGKILL)
        process.wait(5)
        self.assertTrue(self.jar.events(name, "syscall-denied", syscall="bpf"), self.jar.events(name))

    def test_six_seconds_after_the_foreground_command_line_is_killed_it_is_gone(self):
        name, process = self.session()
        process.kill()
        process.wait()
        time.sleep(6)
        self.gone(0)
        self.assertEqual(self.jar.events(name)[-1]["kind"], "session-ended")
        self.assertEqual(self.jar.call("audit", "verify", name).status, 0)

    def test_when_the_command_line_is_interrupted_it_is_gone(self):
        name, process = self.session("import time\nopen('ready', 'w').close()" + STAY)
        process.send_signal(signal.SIGTERM)
        process.wait(8)
        self.gone()

    def test_when_the_helper_is_killed_the_session_goes_on(self):
        code = "import os, time\nopen('ready', 'w').close()\nwhile not os.path.exists('go'): time.sleep(.02)\nprint('still here', flush=True)"
        name, process = self.session(code)
        for pid in self.jar.pids_of("belljar-helper", self.before):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        open(self.jar.workspace + "/go", "w").close()
        out, err = process.communicate(timeout=10)
        self.assertEqual((process.returncode, out), (0, b"still here\n"), err)
        self.gone()
        self.assertEqual(self.jar.call("audit", "verify", name).status, 0)

    def test_stop_ends_it_whatever_it_ignores(self):
        name, process = self.session()
        stopped = self.jar.call("stop", name)
        self.succeeds(stopped)
        self.assertNotEqual(process.wait(15), 0)
        self.gone()
        self.assertEqual(self.jar.events(name)[-1]["kind"], "session-ended")

    def test_a_detached_session_outlives_its_command_line_and_can_be_stopped(self):
        run = self.jar.python(DAEMONS + STAY, options=["--detach"])
        self.succeeds(run)
        self.jar.wait_for_file("ready")
        time.sleep(6)
        row = next(row for row in self.jar.sessions() if row["name"] == run.name)
        self.assertEqual(row["state"], "running")
        self.succeeds(self.jar.call("stop", run.name))
        wait_for(lambda: next(r for r in self.jar.sessions() if r["name"] == run.name)["state"] == "ended", "the end", 10)
        self.gone()
        self.assertEqual(self.jar.call("audit", "verify", run.name).status, 0)

    def test_a_thousand_processes_are_gone_as_well(self):
        policy = self.jar.policy(more="[limits]\nprocesses = 1500\n")
        code = "import os, time\nfor i in range(1000):\n    if os.fork() == 0:\n        while True: time.sleep(1000)\nopen('ready', 'w').close()"
        run = self.jar.python(code, policy=policy)
        self.succeeds(run)
        self.gone()

    def test_the_process_limit_holds_against_a_fork_bomb(self):
        policy = self.jar.policy(more="[limits]\nprocesses = 64\n")
        code = "import os, time\nn = 0\ntry:\n    while n < 500:\n        if os.fork() == 0: time.sleep(1000)\n        n += 1\nexcept OSError: pass\nprint(n)"
        run = self.succeeds(self.jar.python(code, policy=policy))
        self.assertLessEqual(int(run.out), 64)
        self.gone()

    def test_the_time_limit_ends_it_whatever_it_ignores(self):
        policy = self.jar.policy(more='[limits]\nduration = "1s"\n')
        start = time.monotonic()
        run = self.jar.python(DAEMONS + "\ntime.sleep(15)", policy=policy)
        self.assertEqual(run.status, 128 + signal.SIGTERM, repr(run))
        self.assertLess(time.monotonic() - start, 12)
        self.assertIn("time limit", self.jar.events(run.name)[-1]["reason"])
        self.gone()

    def test_no_runtime_folder_is_left_behind(self):
        self.succeeds(self.jar.run(["true"]))
        folder = self.world.base + "/run/belljar"
        wait_for(lambda: not os.path.isdir(folder) or not os.listdir(folder), "an empty runtime folder", 2)

    def test_the_workspace_holds_nothing_that_the_session_did_not_make(self):
        before = subprocess.run(["find", self.jar.workspace], capture_output=True, text=True).stdout
        self.succeeds(self.jar.run(["true"]))
        self.assertEqual(subprocess.run(["find", self.jar.workspace], capture_output=True, text=True).stdout, before)


if __name__ == "__main__":
    main()
