"""workspace.nested: sandboxes run inside, and what their namespaces open ends at the session's own walls."""

import json
import os
import shutil
import socket

from world import WorldTest, main
from world.servers import DENIED, WEB, Counters

UNSHARE = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]  # all but the cgroup's
NESTED = "[workspace]\nnested = true\n"
SENTENCE = "`nested = true` under [workspace] in your policy allows it"


class Nested(WorldTest):
    def setUp(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs/nested.py")
        shutil.copy(program, self.jar.workspace + "/inside.py")

    def inside(self, *words, allow=(), more="", **how):
        policy = self.jar.policy(allow=allow, more=NESTED + more)
        run = self.jar.run(["/usr/bin/python3", "inside.py", *words], policy=policy, **how)
        return run, self.json_of(run)

    # Without it ---------------------------------------------------------------------------------------------------------
    def test_without_it_a_sandbox_fails_and_run_and_the_record_name_the_line_that_would_allow_it(self):
        for words in (["bwrap", "--ro-bind", "/", "/", "true"], ["unshare", "--user", "true"], ["unshare", "--net", "true"]):
            run = self.jar.run(words)
            self.assertNotEqual(run.status, 0)
            self.assertIn(SENTENCE, run.err)
            self.assertIn("a namespace of its own", self.jar.call("audit", "show", run.name).out)
        self.assertNotIn(SENTENCE, self.succeeds(self.jar.run(["sh", "-c", "mount -t tmpfs none /mnt; true"])).err)
        summary = json.loads(self.jar.run(["unshare", "--user", "true"], options=["--json"]).err.splitlines()[-1])
        self.assertIn(SENTENCE, summary["advice"])

    def test_where_the_rest_of_the_policy_excludes_it_it_is_not_advised(self):
        for more in ('[syscalls]\nprofile = "strict"\n', 'require_first'):
            policy = self.jar.policy(more=more) if more != "require_first" else self.world.base + "/config/required.toml"
            with open(self.world.base + "/config/required.toml", "w", encoding="ascii") as file:
                file.write('version = 1\nrequire = ["landlock"]\n')
            run = self.jar.run(["unshare", "--user", "true"], policy=policy)
            self.assertNotEqual(run.status, 0)
            self.assertNotIn(SENTENCE, run.err)

    def test_without_it_the_kernel_refuses_a_user_namespace_even_where_the_filter_lets_the_call_pass(self):
        policy = self.jar.policy(more='[syscalls]\nallow = ["clone", "unshare"]\n')
        run = self.jar.run(["unshare", "--user", "true"], policy=policy)
        self.assertIn("No space left on device", run.err)

    def test_a_sandbox_of_landlock_and_a_filter_needs_no_nested_and_a_listener_is_not_to_be_had(self):
        code = """
import ctypes, errno, struct
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    result = libc.syscall(*(ctypes.c_long(w) if isinstance(w, int) else w for w in words))
    return result if result >= 0 else errno.errorcode[ctypes.get_errno()]
program = ctypes.create_string_buffer(struct.pack('HBBI', 6, 0, 0, 0x7fff0000))  # return ALLOW
filter = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', 1, ctypes.addressof(program)))
rules = call(444, struct.pack('Q', 1 << 1), 8, 0)  # LANDLOCK_ACCESS_FS_WRITE_FILE
print(call(446, rules, 0))
try: open('denied-by-landlock', 'w')
except PermissionError: print('kept from writing')
print(call(317, 1, 0, filter), call(317, 1, 8, filter))  # SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER
"""
        run = self.succeeds(self.jar.python(code))
        self.assertEqual(run.out, "0\nkept from writing\n0 EBUSY\n", repr(run))
        self.assertNotIn(SENTENCE, run.err)

    # The switch ---------------------------------------------------------------------------------------------------------
    def test_the_layers_say_that_there_is_no_landlock(self):
        run = self.succeeds(self.jar.run(["true"], policy=self.jar.policy(more=NESTED)))
        layers = {layer["name"]: layer for layer in self.jar.events(run.name, "session-started")[0]["layers"]}
        self.assertEqual(layers["landlock"]["state"], "off")
        self.assertIn("workspace.nested", layers["landlock"]["detail"])
        self.assertEqual({layers[name]["state"] for name in ("filter", "capabilities", "no-new-privs", "network-namespace")}, {"enforced"})

    def test_together_with_landlock_as_a_required_layer_it_is_refused_in_words(self):
        path = self.jar.policy()
        with open(path, "w", encoding="ascii") as file:
            file.write('version = 1\nrequire = ["landlock"]\n' + NESTED)
        run = self.jar.run(["true"], policy=path)
        self.assertEqual(run.status, 125, repr(run))
        self.assertIn("workspace.nested: it and the required layer 'landlock' exclude each other", run.err)

    def test_a_workspace_can_switch_it_off_but_not_on(self):
        folder = self.jar.base + "/projects/narrow"
        os.makedirs(folder + "/.belljar")
        for value, policy, status in (("false", NESTED, 1), ("true", NESTED, 125), ("true", "", 125)):
            with open(folder + "/.belljar/policy.toml", "w", encoding="ascii") as file:
                file.write(f"version = 1\n[workspace]\nnested = {value}\n")
            run = self.jar.run(["unshare", "--user", "true"], policy=self.jar.policy(more=policy), workspace=folder)
            self.assertEqual(run.status, status, repr(run))
        self.assertIn("a workspace's policy can only narrow", run.err)

    # What runs ----------------------------------------------------------------------------------------------------------
    def test_bubblewrap_makes_all_its_namespaces_and_a_root_of_its_own(self):
        words = ["bwrap", *UNSHARE, "--hostname", "own", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp",
                 "--bind", self.jar.workspace, self.jar.workspace]
        script = "hostname; touch made; touch /usr/x 2>/dev/null || echo read-only; ls -A /tmp | wc -l; cat /sys/class/net/*/address 2>/dev/null; ip -o link | wc -l"
        run = self.succeeds(self.jar.run([*words, "sh", "-c", script], policy=self.jar.policy(more=NESTED)))
        self.assertEqual(run.out.split(), ["own", "read-only", "0", "1"])
        self.assertTrue(os.path.exists(self.jar.workspace + "/made"))

    def test_what_runs_in_bubblewrap_without_a_network_of_its_own_has_the_sessions_rules(self):
        self.world.web
        policy = self.jar.policy(allow=["allowed.example"], more=NESTED)
        words = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-user", "--unshare-pid", "curl", "-sS", "--cacert", self.jar.workspace + "/ca.pem"]
        run = self.succeeds(self.jar.run([*words, "https://allowed.example/"], policy=policy))
        self.assertIn("a page", run.out)
        event = self.one_event(run.name, "egress", verdict="allowed")
        self.assertTrue(event["exe"].endswith("/curl"), event)
        self.assertGreater(event["pid"], 2, "the pid is the session's, not the one of the namespace in it")
        before = Counters()
        run = self.jar.run([*words, f"https://{DENIED}/"], policy=policy)
        self.assertEqual(run.status, 7, repr(run))
        self.assertTrue(self.jar.denials(run.name, ip=DENIED, port=443))
        self.assertEqual(Counters(), before)

    def test_a_fresh_proc_is_refused_by_the_kernel_and_the_sessions_own_serves(self):
        policy = self.jar.policy(more=NESTED)
        fresh = self.jar.run(["bwrap", *UNSHARE, "--ro-bind", "/", "/", "--proc", "/proc", "true"], policy=policy)
        self.assertIn("Can't mount proc", fresh.err)
        own = self.jar.run(["bwrap", *UNSHARE, "--ro-bind", "/", "/", "--ro-bind", "/proc", "/proc", "cat", "/proc/self/comm"], policy=policy)
        self.assertEqual(self.succeeds(own).out, "cat\n")

    def test_the_cgroup_that_it_shares_with_what_lies_outside_cannot_be_mounted(self):
        policy = self.jar.policy(more=NESTED)
        run = self.jar.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], policy=policy)
        self.assertIn("ENOSPC", run.err)
        run = self.jar.run(["unshare", "--user", "--map-root-user", "--mount", "--cgroup", "true"], policy=policy)
        self.assertIn("No space left on device", run.err)
        script = "mkdir /tmp/c; for kind in cgroup2 cgroup; do mount -t $kind none /tmp/c && echo mounted $kind; done; ls -A /tmp/c | wc -l"
        run = self.succeeds(self.jar.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], policy=policy))
        self.assertEqual(run.out, "0\n", repr(run))

    # What it does not open ----------------------------------------------------------------------------------------------
    def test_mounts_of_its_own_do_not_lift_what_is_masked_or_read_only(self):
        os.makedirs(self.jar.workspace + "/secret", exist_ok=True)
        with open(self.jar.workspace + "/secret/key", "w", encoding="ascii") as file:
            file.write("the secret")
        _, said = self.inside("mounts", more='[filesystem]\nhide = ["secret"]\n')
        self.assertEqual(said["private"], "ok")  # the control: it may mount
        self.assertEqual(said["bind /usr elsewhere"], "ok")
        for name in ("remount /usr writable", "remount that writable"):
            self.assertEqual(said[name], "EPERM", name)
        self.assertEqual(said["write there"], "EROFS")
        for name in ("umount the mask", "umount the mask lazily", "umount the mask in the copy", "move the mask away",
                     "bind the workspace without what lies over it", "overlay on the workspace", "umount the mask of /proc/keys"):
            self.assertEqual(said[name], "EINVAL", name)
        self.assertEqual(said["bind it with all"], "ok")
        for name in ("a fresh /proc", "a fresh /sys", "more room in the scratch space"):
            self.assertEqual(said[name], "EPERM", name)
        self.assertEqual((said["secrets seen"], said["keys"]), ([], ""))

    def test_a_network_of_its_own_leads_nowhere_and_no_connection_is_made_for_it(self):
        self.world.web
        before, log = Counters(), self.world.web.log()
        # By address: there it can have a server of the same address, and routes to it.
        run, said = self.inside("network", WEB, DENIED, allow=[WEB + ":443"])
        for name in ("allowed, nothing up", "allowed, not blocking, later", "resolver"):
            self.assertIn(said[name], ("ENETUNREACH", "ECONNREFUSED"), said)
        for name in ("denied", "denied, everything local"):
            self.assertEqual(said[name], "EACCES", name)
        self.assertEqual(said["allowed, everything local and nobody there"], "ECONNREFUSED")
        self.assertEqual((said["allowed, a server of its own there"], said["its own loopback"]), ("ok", "ok"))
        self.assertEqual(self.jar.events(run.name, "egress", verdict="allowed"), [])
        self.assertTrue(self.jar.denials(run.name, ip=DENIED, port=443))
        self.assertEqual(self.world.web.log(), log)
        self.assertEqual(Counters(), before)
        self.assertEqual(said["back into the session's network"], "EPERM")
        self.assertNotEqual(said["a wire to the session"], 0)
        # The rest of the kernel's network that its capability would open.
        for name in ("IPT_SO_SET_REPLACE", "ARPT_SO_SET_REPLACE", "EBT_SO_SET_ENTRIES", "IP_VS_SO_SET_FLUSH"):
            self.assertEqual(said[name], "EPERM", name)
        self.assertEqual(len(self.jar.events(run.name, "syscall-denied", syscall="setsockopt")), 4)
        for name in ("NETLINK_NETFILTER", "NETLINK_XFRM", "AF_PACKET", "raw ICMP", "AF_VSOCK"):
            self.assertEqual(said[name], "EAFNOSUPPORT", name)

    def test_its_capabilities_reach_no_init_no_other_user_and_no_rare_call(self):
        run, said = self.inside("privileges")
        self.assertEqual(said["host name"], "EPERM")  # the session's: it made no uts namespace
        for name in ("keyctl", "bpf", "perf_event_open", "open_by_handle_at", "init_module", "ptrace init",
                     "back into the session's user namespace", "setuid bit", "device"):
            self.assertEqual(said[name], "EPERM", name)
        for name in ("io_uring_setup", "userfaultfd", "clone3", "fsopen", "open_tree"):
            self.assertEqual(said[name], "ENOSYS", name)
        for name in ("/proc/1/environ", "/proc/1/mem", "/proc/1/maps", "/proc/1/ns/user", "/proc/1/root/etc"):
            self.assertEqual(said[name], "EACCES", name)
        self.assertEqual((said["become another user"], said["give a file away"]), ("EINVAL", "EINVAL"))
        self.assertEqual(said["more processes"], "EPERM")
        self.assertIn(said["sysctl"], ("EROFS", "EACCES"))
        facts = os.stat(self.jar.workspace + "/given")
        self.assertEqual((facts.st_uid, facts.st_mode & 0o6000), (os.getuid(), 0))
        self.assertEqual(self.jar.events(run.name, "session-ended")[0]["status"], 0)  # init lives on: the kill led nowhere

    def test_the_limit_of_processes_holds_in_it_and_the_number_of_namespaces_is_limited(self):
        _, said = self.inside("processes", "200", more="[limits]\nprocesses = 64\n")
        self.assertEqual(said["errno"], "EAGAIN")
        self.assertLess(said["count"], 64)
        _, said = self.inside("spaces", "400")
        self.assertEqual(said, {"errno": "ENOSPC", "held": 256})

    def test_sockets_of_the_host_are_refused_from_within_it_and_those_of_the_session_are_reached(self):
        with socket.socket(socket.AF_UNIX) as host:
            host.bind(self.jar.workspace + "/host.sock")
            host.listen(4)
            code = ("import socket\nfor p in ('host.sock', 'own.sock'):\n    s = socket.socket(socket.AF_UNIX)\n"
                    "    try: s.connect(p); print(p, 'ok')\n    except OSError as e: print(p, e.errno)")
            script = ("python3 -c \"import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('own.sock'); s.listen(4); time.sleep(30)\" & "
                      f"while [ ! -S own.sock ]; do sleep .1; done; bwrap {' '.join(UNSHARE)} --ro-bind / / python3 -c \"{code}\"; kill $!")
            run = self.jar.run(["bash", "-c", script], policy=self.jar.policy(more=NESTED))
            self.assertEqual(run.out, "host.sock 13\nown.sock ok\n", repr(run))
            host.setblocking(False)
            self.assertRaises(BlockingIOError, host.accept)
        self.assertTrue(self.jar.denials(run.name))

    def test_nothing_of_it_is_left_when_the_session_ends(self):
        before = set(self.jar.processes())
        run = self.jar.run(["sh", "-c", "unshare --user --pid --net --fork setsid sleep 600 & sleep .5; echo over"], policy=self.jar.policy(more=NESTED))
        self.assertEqual(self.succeeds(run).out, "over\n")
        self.assertEqual(self.jar.nothing_left(before), {})


if __name__ == "__main__":
    main()
