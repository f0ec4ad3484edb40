"""Connections as programs really use them: long-lived, half closed, uploaded to, without blocking, and without a delay at the start."""

import hashlib
import os

from world import WorldTest, main
from world.npm_tools import FOLDER, node
from world.servers import GIT, STREAM, wait_for
from world.streams import GREETING, StreamServer

WEBSOCKET = """
const socket = new WebSocket(process.argv[1]);
socket.onopen = () => { socket.send('first'); setTimeout(() => socket.send('x'.repeat(1000)), Number(process.argv[2])); };
socket.onmessage = event => { console.log(event.data.length, event.data.slice(0, 5)); if (event.data.length == 1000) socket.close(1000); };
socket.onerror = event => { console.log('error', event.message); process.exit(1); };
socket.onclose = event => console.log('closed', event.code);
"""

EPOLL_FIRST = """
import select, socket, sys
s = socket.socket(); s.setblocking(False)
poll = select.epoll(); poll.register(s, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET); poll.poll(0)
code = s.connect_ex((sys.argv[1], 80))
seen, data = 0, b''
while not data.endswith(b'event 0\\n\\n'):
    for _, events in poll.poll(20):
        if events & select.EPOLLOUT and not seen:
            seen = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR); assert seen == 0, seen
            s.sendall(b'GET /events/0x1 HTTP/1.1\\r\\nHost: stream.example\\r\\n\\r\\n'); seen = 1
        try:
            while chunk := s.recv(4096): data += chunk
        except BlockingIOError: pass
print(code in (0, 115), data.split()[1].decode())
"""

TIMED = """
import socket, sys, time
def timed(what):
    begin = time.monotonic(); what(); return time.monotonic() - begin
def connect(**how): socket.create_connection(('stream.example', 80), **how).close()
print(timed(lambda: socket.getaddrinfo('stream.example', 80)) < 1, timed(connect) < 1, timed(lambda: connect(timeout=5)) < 1)
"""

HALF_CLOSED = """
import socket, sys, time
s = socket.create_connection(('stream.example', 9001))
answer = b''
while chunk := s.recv(999): answer += chunk
for _ in range(100): s.sendall(bytes(10000))
s.close(); sys.stdout.write(answer.decode())
"""


class Streams(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.server = StreamServer(cls.world.authority)

    def inside(self, words, **how):
        return self.succeeds(self.jar.run(words, allow=["stream.example", "stream.example:9001"], **how))

    def node(self, code, *arguments):
        return self.inside(["env", f"NODE_EXTRA_CA_CERTS={self.jar.workspace}/ca.pem", node(), "-e", code, *arguments], options=["--read", FOLDER])

    def test_server_sent_events_arrive_one_by_one_over_http_and_https(self):
        count = ("import sys, time\nbegin = time.monotonic(); first = None\nfor line in sys.stdin:\n"
                 "    if line.startswith('data'): last = time.monotonic(); first = first or last\nprint(line == '\\n', last - first > 1)")
        for scheme in ("http", "https"):
            run = self.inside(["sh", "-c", f"curl -sSN --cacert ca.pem {scheme}://stream.example/events/0.3x6 | python3 -c \"$0\"", count])
            self.assertEqual(run.out, "True True\n")

    def test_a_connection_that_is_silent_for_long_is_still_there(self):
        run = self.inside(["curl", "-sSN", "http://stream.example/events/12x2"])
        self.assertEqual(run.out.count("data: event"), 2)

    def test_websockets_talk_in_both_directions_and_end_in_order(self):
        for scheme in ("ws", "wss"):
            run = self.node(WEBSOCKET, f"{scheme}://stream.example/socket", "3000")
            self.assertEqual(run.out.splitlines(), ["5 FIRST", "1000 XXXXX", "closed 1000"])

    def test_a_large_upload_arrives_whole(self):
        path = self.jar.workspace + "/upload"
        content = os.urandom(1 << 20)
        with open(path, "wb") as file:
            for _ in range(256):
                file.write(content)
        expected = hashlib.sha256()
        for _ in range(256):
            expected.update(content)
        for url in ("http://stream.example/upload", "https://stream.example/upload"):
            self.assertEqual(self.inside(["curl", "-sS", "--cacert", "ca.pem", "-T", "upload", url]).out, expected.hexdigest())
        os.unlink(path)

    def test_a_server_that_ends_its_half_first_is_still_sent_everything(self):
        run = self.inside(["python3", "-c", HALF_CLOSED])
        self.assertEqual(run.out, GREETING.decode())
        wait_for(lambda: self.server.half_closed == [1000000], "the bytes after the server's end")

    def test_a_socket_may_be_registered_with_epoll_before_it_connects_without_blocking(self):
        policy = self.jar.policy(allow=[f"{STREAM}:80"])
        run = self.succeeds(self.jar.python(EPOLL_FIRST, STREAM, policy=policy))
        self.assertEqual(run.out, "True 200\n")

    def test_a_name_without_an_ipv6_address_costs_no_time_and_connects_with_a_timeout(self):
        self.assertEqual(self.inside(["python3", "-c", TIMED]).out, "True True True\n")
        self.assertEqual(self.world.names.asked("stream.example")[0][0], "stream.example")
        run = self.inside(["curl", "-sS", "-o", "/dev/null", "-w", "%{time_connect}", "http://stream.example/events/0x1"])
        self.assertLess(float(run.out), 1)
        code = "const b = Date.now(); fetch('http://stream.example/events/0x1').then(r => r.text()).then(() => console.log(Date.now() - b < 2000))"
        self.assertEqual(self.inside(["node", "-e", code]).out, "true\n")

    def test_a_connect_that_gets_no_answer_ends_when_the_program_s_own_time_is_over(self):
        """Nothing is accepted there, and the queue is full: the kernel drops what more arrives."""
        import socket
        full = socket.create_server(("198.51.100.40", 7000), backlog=1)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("198.51.100.40", 7000))
        code = ("import socket, time\nbegin = time.monotonic()\ntry:\n    s = socket.create_connection(('198.51.100.40', 7000), timeout=2); s.recv(1)\n"
                "except OSError as e: print(type(e).__name__, 1 < time.monotonic() - begin < 6)")
        run = self.succeeds(self.jar.python(code, policy=self.jar.policy(allow=["198.51.100.40:7000"])))
        self.assertEqual(run.out, "TimeoutError True\n")
        for one in (full, *waiting):
            one.close()

    def test_curl_speaks_http_2_and_wget_follows_redirects(self):
        self.world.git.repository("page.git")
        run = self.succeeds(self.jar.run(["curl", "-sS", "--http2", "--cacert", "ca.pem", "-o", "/dev/null", "-w", "%{http_version} %{response_code}",
                                          "https://git.example/page.git/info/refs?service=git-upload-pack"], allow=["git.example"]))
        self.assertEqual(run.out, "2 200")
        self.assertEqual(self.one_event(run.name, "egress", verdict="allowed")["ip"], GIT)
        self.world.web
        run = self.succeeds(self.jar.run(["wget", "-q", "--ca-certificate=ca.pem", "-O-", "https://allowed.example/"], allow=["allowed.example"]))
        self.assertEqual(run.out, "a page of the allowed host\n")
        run = self.jar.run(["wget", "--tries=1", "-O-", "http://allowed.example/bounce"], allow=["allowed.example"])
        self.assertEqual(run.status, 4, repr(run))  # wget(1): network failure
        self.assertIn("unable to resolve host address", run.err)
        self.assertEqual(self.jar.events(run.name, "dns", name="denied.example")[0]["verdict"], "denied")


if __name__ == "__main__":
    main()
