"""A service of the host's loopback, by `host:PORT`; and the session's own loopback, which is nobody else's."""

from world import WorldTest, main
from world.servers import Witness


class HostServices(WorldTest):
    """host:PORT makes the host's loopback service answer at the session's own localhost:PORT, and no other port of it."""

    def test_answer_at_the_session_s_localhost(self):
        host = Witness(["127.0.0.1"], [11434], greeting=b"of the host")
        code = "import socket, sys\nfor a in ('127.0.0.1', 'localhost'): print(socket.create_connection((a, 11434)).recv(99))"
        run = self.succeeds(self.jar.python(code, allow=["host:11434"]))
        self.assertEqual(run.out, "b'of the host'\n" * 2)
        self.assertEqual(len(host.seen), 2)
        events = self.jar.events(run.name, "egress", verdict="allowed")
        self.assertEqual({(e["host"], e["port"]) for e in events}, {("host", 11434)})
        self.assertEqual(len(events), 2)

    def test_are_not_there_unless_they_are_allowed(self):
        host = Witness(["127.0.0.1"], [11435], greeting=b"of the host")
        code = "import socket, errno\ns = socket.socket(); print(errno.errorcode[s.connect_ex(('127.0.0.1', 11435))])"
        run = self.succeeds(self.jar.python(code, allow=["host:11434"]))
        self.assertEqual(run.out, "ECONNREFUSED\n")
        self.assertEqual(host.seen, [])

    def test_leave_the_session_s_own_servers_alone(self):
        code = """
import socket, threading
for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    for port in (80, 8000):
        s = socket.create_server((address, port), family=family)
        c = socket.create_connection((address, port)); a, _ = s.accept(); a.sendall(b'own'); print(c.recv(3).decode(), end=' ')
"""
        run = self.succeeds(self.jar.python(code))
        self.assertEqual(run.out.split(), ["own"] * 4)
        self.assertEqual(self.jar.events(run.name, "egress"), [])


if __name__ == "__main__":
    main()
