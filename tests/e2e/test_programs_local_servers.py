"""Servers and their clients, both inside: the session's own loopback, its own Unix and abstract sockets."""

from world import WorldTest, main

# A server thread and clients of several kinds; prints what each of them got.
LOOPBACK = """
import http.server, socket, subprocess, sys, threading, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b'served inside')
    def log_message(self, *_): pass
class Six(http.server.ThreadingHTTPServer): address_family = socket.AF_INET6
port = int(sys.argv[1])
for kind, host in ((http.server.ThreadingHTTPServer, '127.0.0.1'), (Six, '::1')):
    server = kind((host, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
for url in (f'http://127.0.0.1:{port}/', f'http://[::1]:{port}/', f'http://localhost:{port}/', f'http://127.9.8.7:{port}/'):
    try: print(url.split('/')[2], urllib.request.urlopen(url, timeout=10).read().decode())
    except OSError as e: print(url.split('/')[2], e)
print('curl', subprocess.run(['curl', '-sS', f'http://localhost:{port}/'], capture_output=True, text=True).stdout)
"""

UNIX = """
import os, socket, sys, threading
def serve(address, kind):
    s = socket.socket(socket.AF_UNIX, kind); s.bind(address); s.listen(8)
    def loop():
        while True:
            c, _ = s.accept(); c.sendall(c.recv(100).upper()); c.close()
    threading.Thread(target=loop, daemon=True).start()
for address in (sys.argv[1] + '/own.sock', '/tmp/own.sock', os.path.expanduser('~/own.sock'), '\\0own'):
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        where = address + str(int(kind))
        serve(where, kind)
        c = socket.socket(socket.AF_UNIX, kind); c.settimeout(10); c.connect(where); c.sendall(b'hello'); print(c.recv(100).decode())
"""

FORKSERVER = """
import multiprocessing, multiprocessing.managers
def square(x): return x * x
if __name__ == '__main__':
    for method in ('fork', 'forkserver', 'spawn'):
        with multiprocessing.get_context(method).Pool(2) as pool: print(method, pool.map(square, range(5)))
    with multiprocessing.Manager() as manager:
        d = manager.dict(); d['a'] = 1; print(dict(d))
"""

ASYNCIO = """
import asyncio
async def main():
    async def echo(r, w): w.write(await r.readline()); await w.drain(); w.close()
    server = await asyncio.start_server(echo, '127.0.0.1', 0)
    host, port = server.sockets[0].getsockname()
    async def client(i):
        r, w = await asyncio.open_connection(host, port); w.write(b'%d\\n' % i); got = int(await r.readline()); w.close(); return got
    print(sum(await asyncio.gather(*(client(i) for i in range(100)))))
    loop = asyncio.get_running_loop()
    class Back(asyncio.DatagramProtocol):
        def connection_made(self, t): self.t = t
        def datagram_received(self, data, peer): self.t.sendto(data[::-1], peer)
    t, _ = await loop.create_datagram_endpoint(Back, local_addr=('127.0.0.1', 0))
    answer = loop.create_future()
    class Ask(asyncio.DatagramProtocol):
        def connection_made(self, t): t.sendto(b'abc')
        def datagram_received(self, data, peer): answer.set_result(data)
    await loop.create_datagram_endpoint(Ask, remote_addr=t.get_extra_info('sockname'))
    print((await asyncio.wait_for(answer, 10)).decode())
    child = await asyncio.create_subprocess_exec('cat', stdin=-1, stdout=-1)
    print((await child.communicate(b'through cat'))[0].decode())
asyncio.run(main())
"""

NODE = """
const http = require('http'), net = require('net');
http.createServer((q, r) => r.end('node inside')).listen(80, async () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) console.log(host, await (await fetch(`http://${host}/`)).text());
    const s = net.createServer(c => c.end('unix inside')).listen('/tmp/node.sock', () =>
        net.connect('/tmp/node.sock').on('data', d => { console.log(String(d)); process.exit(0) }));
});
"""


class LocalServers(WorldTest):
    def test_http_on_loopback_of_both_families_on_port_80_and_on_a_high_port(self):
        for port in (80, 443, 8123):
            run = self.succeeds(self.jar.python(LOOPBACK, str(port)))
            lines = run.out.splitlines()
            self.assertEqual(lines[0], f"127.0.0.1:{port} served inside", repr(run))
            self.assertEqual(lines[1], f"[::1]:{port} served inside")
            self.assertEqual(lines[2], f"localhost:{port} served inside")
            self.assertIn("127.9.8.7", lines[3])
            self.assertEqual(lines[4], "curl served inside")
            self.assertEqual(self.jar.denials(run.name), [])

    def test_a_server_of_the_host_on_the_same_port_is_another_one(self):
        import http.server
        import threading
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 8124), http.server.SimpleHTTPRequestHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        run = self.jar.run(["curl", "-sS", "http://127.0.0.1:8124/"])
        server.shutdown()
        self.assertEqual(run.status, 7, repr(run))  # refused: nobody listens there inside

    def test_unix_sockets_with_names_in_the_workspace_tmp_and_home_and_abstract_ones(self):
        run = self.succeeds(self.jar.python(UNIX, self.jar.workspace))
        self.assertEqual(run.out, "HELLO\n" * 8)

    def test_pools_of_python_by_fork_forkserver_and_spawn(self):
        with open(self.jar.workspace + "/pools.py", "w", encoding="ascii") as file:
            file.write(FORKSERVER)
        run = self.succeeds(self.jar.run(["python3", "pools.py"]))
        self.assertEqual(run.out, "".join(f"{m} [0, 1, 4, 9, 16]\n" for m in ("fork", "forkserver", "spawn")) + "{'a': 1}\n")

    def test_asyncio_streams_datagrams_and_children(self):
        run = self.succeeds(self.jar.python(ASYNCIO))
        self.assertEqual(run.out, "4950\ncba\nthrough cat\n")

    def test_node_serves_and_fetches_on_port_80_and_by_a_unix_socket(self):
        run = self.succeeds(self.jar.run(["node", "-e", NODE]))
        self.assertEqual(run.out, "127.0.0.1 node inside\n[::1] node inside\nlocalhost node inside\nunix inside\n")

    def test_socat_forks_for_each_client_and_hears_of_its_end(self):
        script = ("socat UNIX-LISTEN:/tmp/up.sock,fork EXEC:'tr a-z A-Z' & socat TCP-LISTEN:8125,fork,reuseaddr UNIX-CONNECT:/tmp/up.sock &\n"
                  "until [ -S /tmp/up.sock ] && socat /dev/null TCP:127.0.0.1:8125 2>/dev/null; do sleep .1; done\n"
                  "for i in 1 2 3; do echo number $i | socat - TCP:127.0.0.1:8125; done; kill %1 %2")
        run = self.jar.run(["bash", "-c", script])
        self.assertEqual(run.out, "NUMBER 1\nNUMBER 2\nNUMBER 3\n", repr(run))


if __name__ == "__main__":
    main()
