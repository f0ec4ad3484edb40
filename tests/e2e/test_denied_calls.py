"""Every denied system call is in the record, live: which call, with what arguments, by which process, how often."""

import collections
import errno
import json
import subprocess
import time

from world import WorldTest, main

# x86-64 numbers (arch/x86/entry/syscalls/syscall_64.tbl); arguments that could do no harm if they were let through
CALLS = {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "kexec_load": 246, "init_module": 175, "delete_module": 176,
         "swapon": 167, "reboot": 169, "mount": 165, "open_by_handle_at": 304}

MAKE = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
calls, times = json.loads(sys.argv[1]), int(sys.argv[2])
errors = {}
for i in range(times):
    for name, nr in calls.items():
        if libc.syscall(ctypes.c_long(nr), ctypes.c_long(-1), ctypes.c_long(0x1234), ctypes.c_long(0), ctypes.c_long(0)) == 0:
            errors[name] = 0
        else:
            errors.setdefault(name, ctypes.get_errno())
print(json.dumps({'pid': os.getpid(), 'errors': errors}))
"""

# A denied call, then another program in the same process that copies what could be taken for the identity of the first:
# the kernel's random bytes (AT_RANDOM, getauxval(3)) and its name.
FORGE = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.getauxval.restype = ctypes.c_ulong
at = libc.getauxval(ctypes.c_ulong(25))
if len(sys.argv) == 2:
    random = ctypes.string_at(at, 16).hex()
    libc.syscall(ctypes.c_long(321), ctypes.c_long(1), None, ctypes.c_long(0))
    os.execv(sys.executable, [sys.executable, '-c', sys.argv[1], sys.argv[1], random])
ctypes.memmove(at, bytes.fromhex(sys.argv[2]), 16)
libc.syscall(ctypes.c_long(321), ctypes.c_long(1), None, ctypes.c_long(0))
"""


class DeniedCalls(WorldTest):
    def test_a_program_does_not_pass_for_the_one_before_it(self):
        run = self.succeeds(self.jar.python(FORGE, FORGE))
        events = self.jar.events(run.name, "syscall-denied", syscall="bpf")
        self.assertEqual([e.get("count", 1) for e in events], [1, 1])
        self.assertEqual(events[0]["pid"], events[1]["pid"])
        self.assertEqual([len(e["argv"]) for e in events], [4, 5], "the second was taken for the first")

    def test_no_limit_of_another_process_can_be_set_and_init_lives_on(self):
        code = ("import errno, resource\n"
                "for pid in (1, -1, 2**31 - 1):\n"
                "    try: resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0)); print('set', pid)\n"
                "    except (PermissionError, ProcessLookupError) as e: print(e.errno == errno.EPERM)\n"
                "resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); print(resource.prlimit(0, resource.RLIMIT_CORE))\n")
        run = self.succeeds(self.jar.python(code))
        self.assertEqual(run.out.split("\n")[:4], ["True", "True", "True", "(0, 0)"])
        self.assertEqual(len(self.jar.events(run.name, "syscall-denied", syscall="prlimit64")), 3)

    def test_a_thousand_of_several_kinds_are_all_in_the_record(self):
        run = self.succeeds(self.jar.python(MAKE, json.dumps(CALLS), "100"))
        said = json.loads(run.out)
        self.assertNotIn(0, said["errors"].values(), said)
        counted = collections.Counter()
        for event in self.jar.events(run.name, "syscall-denied"):
            if event["syscall"] not in CALLS:
                continue
            counted[event["syscall"]] += event.get("count", 1)
            self.assertEqual(event["nr"], CALLS[event["syscall"]])
            self.assertEqual(event["pid"], said["pid"])
            self.assertRegex(event["exe"], r"^/usr/bin/python3")
        self.assertEqual(dict(counted), {name: 100 for name in CALLS})

    def test_arguments_and_the_errno_given_are_recorded(self):
        run = self.succeeds(self.jar.python(MAKE, json.dumps({"bpf": 321}), "1"))
        event = self.one_event(run.name, "syscall-denied", syscall="bpf")
        numbers = [int(str(a), 0) & 0xffffffffffffffff for a in event["args"]]
        self.assertEqual(numbers[:3], [0xffffffffffffffff, 0x1234, 0])
        given = event["errno"]
        code = json.loads(run.out)["errors"]["bpf"]
        self.assertIn(given, (code, errno.errorcode[code]))

    def test_different_arguments_are_not_folded_into_one(self):
        code = ("import ctypes\nl = ctypes.CDLL(None)\n"
                "for i in range(20): l.syscall(ctypes.c_long(321), ctypes.c_long(i), None, ctypes.c_long(0))")
        run = self.succeeds(self.jar.python(code))
        events = self.jar.events(run.name, "syscall-denied", syscall="bpf")
        self.assertEqual(sum(e.get("count", 1) for e in events), 20)

    def test_calls_of_other_architectures_and_unknown_numbers_are_refused(self):
        x32 = self.jar.python("import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n"
                              "print(l.syscall(ctypes.c_long(0x40000000 + 39)), l.syscall(ctypes.c_long(9999)), l.syscall(ctypes.c_long(425), 1, 0))")
        self.assertTrue(x32.status != 0 or x32.out == "-1 -1 -1\n", repr(x32))
        i386 = self.world.compile("int80.c")
        run = self.jar.run([i386])
        self.assertNotEqual(run.status, 0, repr(run))  # 0 would mean: a 32-bit getpid went past the filter

    def test_one_process_does_not_need_to_be_alive_to_be_named(self):
        run = self.succeeds(self.jar.run(["sh", "-c", "for i in 1 2 3; do mount -t tmpfs none /mnt 2>/dev/null; done; true"]))
        events = self.jar.events(run.name, "syscall-denied")
        self.assertTrue(any(e["exe"].endswith("/mount") for e in events), events)

    def test_the_follow_view_prints_them_as_they_happen(self):
        code = ("import ctypes, os, time\nl = ctypes.CDLL(None)\nopen('ready', 'w').close()\nwhile not os.path.exists('go'): time.sleep(.01)\n"
                "l.syscall(ctypes.c_long(321), ctypes.c_long(4242), None, ctypes.c_long(0))\nwhile not os.path.exists('end'): time.sleep(.01)")
        name, session = self.jar.start(["/usr/bin/python3", "-c", code])
        self.jar.wait_for_file("ready")
        follow = subprocess.Popen([self.jar.program, "audit", "show", name, "--follow", "--json"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(json.loads(follow.stdout.readline())["kind"], "session-started")
        open(self.jar.workspace + "/go", "w").close()
        start = time.monotonic()
        event = json.loads(follow.stdout.readline())
        self.assertLess(time.monotonic() - start, 2.0)
        self.assertEqual((event["kind"], event.get("syscall")), ("syscall-denied", "bpf"))
        self.assertIsNone(session.poll())
        open(self.jar.workspace + "/end", "w").close()
        rest = follow.stdout.read()  # ends by itself when the session has
        self.assertEqual(follow.wait(10), 0)
        self.assertEqual(session.wait(10), 0)
        self.assertEqual(json.loads(rest.splitlines()[-1])["kind"], "session-ended")

    def test_a_flood_is_counted_to_the_last_one(self):
        run = self.succeeds(self.jar.python(MAKE, json.dumps({"bpf": 321, "reboot": 169}), "20000", timeout=120))
        counted = collections.Counter()
        for event in self.jar.events(run.name, "syscall-denied"):
            counted[event["syscall"]] += event.get("count", 1)
        self.assertEqual((counted["bpf"], counted["reboot"]), (20000, 20000))
        self.assertLess(len(self.jar.events(run.name)), 5000)


if __name__ == "__main__":
    main()
