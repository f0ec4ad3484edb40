"""The positive control of all other tests: in this world the servers, the resolver and the witnesses see what comes."""

import os
import socket
import subprocess

from world import WorldTest, main
from world.servers import DENIED, Counters, wait_for


class TheWorld(WorldTest):
    def test_has_no_privilege_and_is_no_root(self):
        self.assertNotEqual(os.getuid(), 0)
        status = open("/proc/self/status", encoding="ascii").read()
        self.assertIn("CapEff:\t0000000000000000", status)
        self.assertIn("CapPrm:\t0000000000000000", status)

    def test_has_no_way_to_a_real_network(self):
        with open("/proc/net/dev", encoding="ascii") as file:
            devices = [line.split(":")[0].strip() for line in file.readlines()[2:]]
        self.assertEqual(devices, ["lo"])

    def test_names_are_looked_up_at_its_own_resolver_which_logs_them(self):
        self.assertEqual(socket.gethostbyname("denied.example"), DENIED)
        self.assertTrue(self.world.names.asked("denied.example"))
        with self.assertRaises(socket.gaierror):
            socket.gethostbyname("nowhere.example")

    def test_an_allowed_host_answers_over_http_and_https(self):
        self.world.web
        self.assertIn("a page", self.curl("http://allowed.example/"))
        self.assertIn("a page", self.curl("--cacert", self.world.authority.file, "https://allowed.example/"))
        self.assertIn("a page", self.curl("-6", "http://six.example/"))
        self.assertIn("allowed.example / https 200", self.world.web.log())

    def test_an_ssh_server_answers(self):
        ssh = self.world.ssh
        done = subprocess.run(["ssh", "-F", "none", "-i", ssh.key, "-o", "UserKnownHostsFile=" + ssh.known_hosts, "-o",
                               "BatchMode=yes", "git.example", "echo from the other side"], capture_output=True, text=True)
        self.assertEqual(done.stdout, "from the other side\n", done.stderr)

    def test_a_witness_sees_every_connection_and_datagram(self):
        denied, before = self.world.denied, Counters()
        socket.create_connection((DENIED, 8080)).close()
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender.sendto(b"hello", (DENIED, 443))
        wait_for(lambda: any("tcp" in line for line in denied.seen), "the connection")
        wait_for(lambda: any("hello" in line for line in denied.seen), "the datagram")
        self.assertNotEqual(before, Counters())

    def curl(self, *words):
        done = subprocess.run(["curl", "-sS", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    main(belljar=False)
