"""A denied host: its name is not found, its address cannot be connected to, nothing at all leaves, the record has it all."""

import json

from world import WorldTest, main
from world.servers import DENIED, DENIED6, Counters

CONNECT = """
import errno, json, os, socket, sys
host, port = sys.argv[1], int(sys.argv[2])
s = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET)
print(json.dumps({'pid': os.getpid(), 'errno': errno.errorcode.get(s.connect_ex((host, port)), 'none')}))
"""


class DeniedHosts(WorldTest):
    def setUp(self):
        self.world.denied.seen.clear()
        self.world.web
        self.asked, self.sent = len(self.world.names.queries), Counters()

    def tearDown(self):
        """Whatever the test did inside, outside nothing was seen: no packet, no question, no connection."""
        self.assertEqual(self.world.denied.seen, [])
        self.assertEqual(self.world.names.queries[self.asked:], [])
        self.assertEqual(Counters(), self.sent)

    def test_connecting_by_address_fails_with_EACCES_and_is_recorded_with_its_process(self):
        run = self.succeeds(self.jar.python(CONNECT, DENIED, "443", allow=["allowed.example"]))
        said = json.loads(run.out)
        self.assertEqual(said["errno"], "EACCES")
        event = self.one_event(run.name, "egress")
        self.assertEqual((event["verdict"], event["ip"], event["port"], event["proto"]), ("denied", DENIED, 443, "tcp"))
        self.assertEqual(event["pid"], said["pid"])
        self.assertRegex(event["exe"], r"^/usr/bin/python3")
        self.assertEqual(event["argv"], ["/usr/bin/python3", "-c", CONNECT, DENIED, "443"])
        self.assertTrue(event["reason"])

    def test_connecting_by_IPv6_address_fails_the_same_way(self):
        run = self.succeeds(self.jar.python(CONNECT, DENIED6, "80"))
        self.assertEqual(json.loads(run.out)["errno"], "EACCES")
        self.assertEqual(self.one_event(run.name, "egress", verdict="denied")["ip"], DENIED6)

    def test_connecting_by_v4_mapped_address_is_judged_as_IPv4(self):
        run = self.succeeds(self.jar.python(CONNECT, "::ffff:" + DENIED, "80"))
        self.assertEqual(json.loads(run.out)["errno"], "EACCES")
        self.assertEqual(self.one_event(run.name, "egress", verdict="denied")["ip"], DENIED)

    def test_their_name_is_not_found_and_the_question_is_recorded(self):
        code = "import socket\ntry: socket.gethostbyname('denied.example')\nexcept socket.gaierror as e: print(e.errno == socket.EAI_NONAME)"
        run = self.succeeds(self.jar.python(code, allow=["allowed.example"]))
        self.assertEqual(run.out, "True\n")
        asked = self.jar.events(run.name, "dns", name="denied.example", verdict="denied")
        self.assertTrue(asked, self.jar.events(run.name))
        self.assertRegex(asked[0]["exe"], r"^/usr/bin/python3")
        self.assertEqual(asked[0]["argv"][0], "/usr/bin/python3")

    def test_no_spelling_of_a_name_passes_for_an_allowed_one(self):
        names = ["allowed.example.denied.example", "notallowed.example", "xallowed.example", "allowed.example.", "ALLOWED.example",
                 "sub.allowed.example", "allowed.exampl", "allowed-example", "xn--llowed-9ta.example"]
        code = ("import socket, sys\nfor n in sys.argv[1:]:\n    try: socket.gethostbyname(n); print(n)\n"
                "    except (socket.gaierror, UnicodeError): pass")
        run = self.succeeds(self.jar.python(code, *names, allow=["allowed.example"]))
        self.assertEqual(run.out.split(), ["allowed.example.", "ALLOWED.example"])

    def test_a_wildcard_covers_subdomains_and_not_the_name_itself(self):
        code = ("import socket, sys\nfor n in sys.argv[1:]:\n    try: socket.gethostbyname(n); print(n)\n"
                "    except socket.gaierror: pass")
        run = self.succeeds(self.jar.python(code, "allowed.example", "sub.allowed.example", "a.b.allowed.example",
                                            "notallowed.example", allow=["*.allowed.example"]))
        self.assertEqual(run.out.split(), ["sub.allowed.example", "a.b.allowed.example"])

    def test_a_denial_wins_over_a_wider_permission(self):
        policy = self.jar.policy(allow=["*.allowed.example"], deny=["sub.allowed.example"])
        run = self.jar.run(["curl", "-sS", "http://sub.allowed.example/"], policy=policy)
        self.assertEqual(run.status, 6, repr(run))  # curl(1): could not resolve host

    def test_another_port_of_an_allowed_name_is_denied(self):
        code = CONNECT.replace("host, port =", "host, port = socket.gethostbyname(sys.argv[1]), int(sys.argv[2]) #")
        run = self.succeeds(self.jar.python(code, "allowed.example", "8080", allow=["allowed.example"]))
        self.assertEqual(json.loads(run.out)["errno"], "EACCES")
        event = self.one_event(run.name, "egress", verdict="denied")
        self.assertEqual((event["host"], event["port"]), ("allowed.example", 8080))

    def test_an_empty_allowlist_allows_nothing(self):
        for policy in (self.jar.policy(), self.jar.policy(more="[egress]\nallow = []\n")):
            run = self.succeeds(self.jar.python(CONNECT, DENIED, "80", policy=policy))
            self.assertEqual(json.loads(run.out)["errno"], "EACCES")
            run = self.succeeds(self.jar.python(CONNECT, "198.51.100.10", "80", policy=policy))
            self.assertEqual(json.loads(run.out)["errno"], "EACCES")
            run = self.jar.run(["curl", "-sS", "http://allowed.example/"], policy=policy)
            self.assertEqual(run.status, 6, repr(run))

    def test_no_resolver_of_the_programs_choice_is_reached(self):
        code = """
import socket, struct, sys
def ask(address, name, tcp):
    q = struct.pack('!HHHHHH', 7, 0x100, 1, 0, 0, 0) + b''.join(bytes([len(l)]) + l.encode() for l in name.split('.')) + b'\\0\\0\\1\\0\\1'
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM); s.settimeout(5)
    if tcp:
        s.connect((address, 53)); s.sendall(struct.pack('!H', len(q)) + q); r = s.recv(600)[2:]
    else:
        s.sendto(q, (address, 53)); r, peer = s.recvfrom(600); assert peer[0] == address, peer
    return r[3] & 15
print([ask(a, n, t) for a in ('203.0.113.66', '192.0.2.53', '8.8.8.8') for n in ('secret.denied.example',) for t in (0, 1)])
"""
        run = self.succeeds(self.jar.python(code, allow=["allowed.example"]))
        self.assertEqual(run.out, "[3, 3, 3, 3, 3, 3]\n")  # NXDOMAIN, from the address that was asked

    def test_a_redirect_to_one_is_not_followed(self):
        run = self.jar.run(["curl", "-sSL", "http://allowed.example/bounce"], allow=["allowed.example"])
        self.sent, self.asked = Counters(), len(self.world.names.queries)  # the allowed host itself was asked for
        self.assertEqual(run.status, 6, repr(run))
        self.assertEqual(self.world.names.asked("denied.example"), [])

    def test_the_summary_at_the_end_names_it(self):
        run = self.succeeds(self.jar.python(CONNECT, DENIED, "443"))
        self.assertRegex(run.err, r"(?i)1 (connection )?denied|denied.*1\b|refused")
        lines = [line for line in run.err.splitlines() if line.strip()]
        self.assertEqual(len(lines), 3, run.err)
        quiet = self.succeeds(self.jar.python(CONNECT, DENIED, "443", options=["-q"]))
        self.assertEqual(quiet.err, "")


if __name__ == "__main__":
    main()
