"""On 443 and 80 the first bytes must name the allowed host: an allowed name is no tunnel to its neighbours."""

from world import WorldTest, main
from world.servers import Witness

PLAIN = """
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2]))); s.settimeout(20)
s.sendall(sys.argv[3].encode().decode('unicode_escape').encode('latin-1'))
try: print(repr(s.recv(200)))
except OSError as e: print(repr(e))
"""


class FirstBytes(WorldTest):
    def setUp(self):
        self.world.web

    def cut(self, run, port, *words):
        """The record says why the connection was cut, and the server has seen no byte of it."""
        reasons = [e["reason"] for e in self.jar.events(run.name) if e["kind"] in ("egress", "egress-closed") and e.get("reason")
                   and (e["kind"] == "egress-closed" or e["verdict"] == "denied")]
        self.assertTrue(any(all(w.lower() in r.lower() for w in words) for r in reasons), reasons)

    def openssl(self, *words, allow="allowed.example"):
        return self.jar.run(["openssl", "s_client", "-connect", "allowed.example:443", "-CAfile", "ca.pem", "-verify_return_error", *words],
                            stdin="GET / HTTP/1.0\r\n\r\n", allow=[allow])

    def test_TLS_with_the_allowed_name_passes(self):
        self.succeeds(self.openssl("-servername", "allowed.example"))

    def test_TLS_with_another_SNI_is_cut(self):
        run = self.openssl("-servername", "second.example")
        self.assertNotEqual(run.status, 0, repr(run))
        self.assertNotIn("BEGIN CERTIFICATE", run.out)
        self.cut(run, 443, "second.example")

    def test_TLS_without_SNI_is_cut(self):
        run = self.openssl("-noservername")
        self.assertNotEqual(run.status, 0, repr(run))
        self.assertNotIn("BEGIN CERTIFICATE", run.out)
        self.cut(run, 443, "no server name")

    def test_no_TLS_at_all_on_443_is_cut(self):
        run = self.jar.python(PLAIN, "allowed.example", "443", "SSH-2.0-x\\r\\n", allow=["allowed.example"])
        self.assertNotIn("400", run.out)
        self.cut(run, 443, "TLS")

    def test_raw_waives_it_for_443(self):
        self.assertEqual(self.openssl("-servername", "second.example", allow="allowed.example:443/raw").status, 0)

    def test_HTTP_with_the_allowed_Host_passes(self):
        run = self.jar.python(PLAIN, "allowed.example", "80", "GET / HTTP/1.1\\r\\nHost: allowed.example\\r\\n\\r\\n", allow=["allowed.example"])
        self.assertIn("200 OK", run.out)

    def test_HTTP_with_another_Host_is_cut_and_the_server_sees_nothing(self):
        log = self.world.web.log()
        for request in ("GET / HTTP/1.1\\r\\nHost: second.example\\r\\n\\r\\n", "GET http://second.example/ HTTP/1.1\\r\\nHost: second.example\\r\\n\\r\\n",
                        "GET / HTTP/1.1\\r\\n\\r\\n", "GET / HTTP/1.1\\r\\nHost: allowed.example\\r\\nHost: second.example\\r\\n\\r\\n",
                        "CONNECT second.example:443 HTTP/1.1\\r\\nHost: second.example:443\\r\\n\\r\\n", "no http\\r\\n\\r\\n"):
            with self.subTest(request=request):
                run = self.jar.python(PLAIN, "allowed.example", "80", request, allow=["allowed.example"])
                self.assertNotIn("HTTP/1.1", run.out)
                self.cut(run, 80, "")
        self.assertEqual(self.world.web.log(), log)

    def test_a_ClientHello_in_many_small_pieces_is_still_read(self):
        code = """
import socket, ssl, time
s = socket.create_connection(('allowed.example', 443)); s.settimeout(20)
c = ssl.create_default_context(cafile='ca.pem')
i, o = ssl.MemoryBIO(), ssl.MemoryBIO(); t = c.wrap_bio(i, o, server_hostname='allowed.example')
try: t.do_handshake()
except ssl.SSLWantReadError: pass
for b in o.read():
    s.sendall(bytes([b])); time.sleep(0.0005)
while True:
    i.write(s.recv(65536))
    try: t.do_handshake(); break
    except ssl.SSLWantReadError: s.sendall(o.read())
print(t.version())
"""
        self.assertIn("TLSv1", self.succeeds(self.jar.python(code, allow=["allowed.example"])).out)

    def test_other_ports_carry_anything(self):
        Witness(["198.51.100.10"], [9100], greeting=b"anything")
        run = self.jar.python(PLAIN, "allowed.example", "9100", "\\0\\1\\2", allow=["allowed.example:9100"])
        self.assertIn("anything", run.out)

    def test_a_client_that_says_nothing_gets_nothing_through(self):
        seen = Witness(["198.51.100.45"], [80])
        self.world.names.zone["silent.example"] = ["198.51.100.45"]
        code = "import socket\ns = socket.create_connection(('silent.example', 80)); s.shutdown(socket.SHUT_WR); print(s.recv(9))"
        self.jar.python(code, allow=["silent.example"])
        self.assertEqual(seen.received, [])


if __name__ == "__main__":
    main()
