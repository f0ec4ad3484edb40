"""An allowed host answers, over every protocol people use, and the record says who talked to it."""

import hashlib
import os

from world import WorldTest, main
from world.servers import GIT, WEB, WEB6, Witness, wait_for


class AllowedHosts(WorldTest):
    def test_answer_over_http(self):
        self.world.web
        run = self.succeeds(self.jar.run(["curl", "-sS", "http://allowed.example/"], allow=["allowed.example"]))
        self.assertEqual(run.out, "a page of the allowed host\n")
        event = self.one_event(run.name, "egress", verdict="allowed")
        self.assertEqual((event["host"], event["port"], event["ip"]), ("allowed.example", 80, WEB))
        self.assertTrue(event["exe"].endswith("/curl"), event)
        self.assertEqual(event["argv"], ["curl", "-sS", "http://allowed.example/"])
        self.assertEqual(event["rule"], "allowed.example")

    def test_answer_over_https_with_their_own_certificate(self):
        self.world.web
        run = self.succeeds(self.jar.run(["curl", "-sS", "--cacert", "ca.pem", "https://allowed.example/"],
                                         allow=["allowed.example"]))
        self.assertEqual(run.out, "a page of the allowed host\n")
        self.assertEqual(self.one_event(run.name, "egress", verdict="allowed")["port"], 443)

    def test_answer_over_ssh(self):
        ssh = self.world.ssh
        for name in ("client", "known_hosts"):
            with open(self.world.base + "/ssh/" + name, "rb") as source:
                with open(os.open(self.jar.workspace + "/" + name, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as target:
                    target.write(source.read())
        words = ["ssh", "-i", "client", "-o", "UserKnownHostsFile=known_hosts", "-o", "BatchMode=yes", "git.example", "echo hello from there"]
        run = self.succeeds(self.jar.run(words, allow=["git.example:22"]))
        self.assertEqual(run.out, "hello from there\n")
        event = self.one_event(run.name, "egress", verdict="allowed")
        self.assertEqual((event["host"], event["port"], event["ip"]), ("git.example", 22, GIT))
        self.assertTrue(ssh.process.poll() is None)

    def test_answer_over_ipv6_only(self):
        self.world.web
        run = self.succeeds(self.jar.run(["curl", "-sS", "http://six.example/"], allow=["six.example"]))
        self.assertEqual(run.out, "a page of the allowed host\n")
        self.assertEqual(self.one_event(run.name, "egress", verdict="allowed")["ip"], WEB6)

    def test_answer_by_address_where_the_policy_names_the_address(self):
        self.world.web
        policy = self.jar.policy(allow=[WEB + ":80", f"[{WEB6}]:80"])
        run = self.succeeds(self.jar.run(["curl", "-sS", f"http://{WEB}/", f"http://[{WEB6}]/"], policy=policy))
        self.assertEqual(run.out, "a page of the allowed host\n" * 2)
        self.assertEqual({e["ip"] for e in self.jar.events(run.name, "egress", verdict="allowed")}, {WEB, WEB6})

    def test_are_found_in_the_host_s_own_hosts_file_too(self):
        self.world.web
        run = self.succeeds(self.jar.run(["curl", "-sS", "http://in-hosts-file.example/"], allow=["in-hosts-file.example"]))
        self.assertEqual(run.out, "a page of the allowed host\n")

    def test_are_asked_for_upstream_only_when_a_connection_really_opens(self):
        look_up = "import socket; print(socket.gethostbyname('second.example'))"
        run = self.succeeds(self.jar.python(look_up, allow=["second.example"]))
        self.assertRegex(run.out, r"^198\.1[89]\.\d+\.\d+$")
        self.assertEqual(self.world.names.asked("second.example"), [])

    def test_carry_large_answers_whole_and_count_their_bytes(self):
        self.world.web
        content = os.urandom(1 << 20) * 32
        with open(self.world.base + "/web/www/large", "wb") as file:
            file.write(content)
        run = self.succeeds(self.jar.run(["sh", "-c", "curl -sS http://allowed.example/large | sha256sum"], allow=["allowed.example"]))
        self.assertEqual(run.out.split()[0], hashlib.sha256(content).hexdigest())
        closed = self.one_event(run.name, "egress-closed")
        self.assertGreaterEqual(closed["bytes_received"], len(content))
        self.assertGreater(closed["bytes_sent"], 40)

    def test_see_the_end_of_the_request_while_they_still_answer(self):
        echo = Witness(["198.51.100.20"], [9000], echo=True)
        code = ("import socket\ns = socket.create_connection(('198.51.100.20', 9000))\ns.sendall(b'half'); s.shutdown(socket.SHUT_WR)\n"
                "data = b''\nwhile chunk := s.recv(99): data += chunk\nprint(data.decode())")
        run = self.succeeds(self.jar.python(code, allow=["198.51.100.20:9000"]))
        self.assertEqual(run.out, "half\n")
        wait_for(lambda: echo.received == [b"half"], "the request")

    def test_give_their_own_refusal_where_nothing_listens(self):
        code = ("import socket, errno\ns = socket.socket()\n"
                "print(errno.errorcode[s.connect_ex(('198.51.100.99', 9))])")
        run = self.succeeds(self.jar.python(code, allow=["198.51.100.99:9"]))
        self.assertEqual(run.out, "ECONNREFUSED\n")

    def test_serve_a_non_blocking_client_too(self):
        Witness(["198.51.100.21"], [9000], greeting=b"welcome")
        code = ("import asyncio\nasync def main():\n    r, w = await asyncio.open_connection('198.51.100.21', 9000)\n"
                "    print((await r.read(7)).decode())\nasyncio.run(main())")
        run = self.succeeds(self.jar.python(code, allow=["198.51.100.21:9000"]))
        self.assertEqual(run.out, "welcome\n")


if __name__ == "__main__":
    main()
