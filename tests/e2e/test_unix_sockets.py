"""Unix sockets: the session's own just work, those of the host that lie in the workspace are out of reach."""

import os
import socket
import threading

from world import WorldTest, main


class UnixSockets(WorldTest):
    """Sockets of the host that lie in the workspace are not for the session; its own are."""

    CONNECT = ("import errno, socket, sys\nfor kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):\n    s = socket.socket(socket.AF_UNIX, kind)\n"
               "    print(errno.errorcode.get(s.connect_ex(sys.argv[1]), 'reached'))")

    def host_socket(self, name, kind=socket.SOCK_STREAM):
        path = os.path.join(self.jar.workspace, name)
        sock = socket.socket(socket.AF_UNIX, kind)
        sock.bind(path)
        visitors = []
        if kind != socket.SOCK_DGRAM:
            sock.listen(16)
            threading.Thread(target=lambda: [visitors.append(sock.accept()) for _ in range(16)], daemon=True).start()
        else:
            threading.Thread(target=lambda: [visitors.append(sock.recv(99)) for _ in range(16)], daemon=True).start()
        return path, visitors

    def test_of_the_host_are_refused_by_every_path(self):
        path, visitors = self.host_socket("host-stream")
        packet, packet_visitors = self.host_socket("host-packet", socket.SOCK_SEQPACKET)
        os.symlink("host-stream", os.path.join(self.jar.workspace, "alias"))
        for way in (path, "host-stream", "./alias", "/proc/self/cwd/host-stream", "/proc/self/root" + path, packet):
            with self.subTest(way=way):
                run = self.succeeds(self.jar.python(self.CONNECT, way))
                self.assertNotIn("reached", run.out)
                self.assertIn("EACCES", run.out)
        self.assertEqual(visitors + packet_visitors, [])
        events = self.jar.denials(run.name)
        self.assertTrue(events, self.jar.events(run.name))

    def test_of_the_host_get_no_datagram_either(self):
        path, visitors = self.host_socket("host-datagram", socket.SOCK_DGRAM)
        code = """
import socket, sys
path = sys.argv[1]
def attempt(f):
    try: f()
    except OSError: pass
attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', path))
attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect(path))
def pair():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', path)
attempt(pair)
attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, path))
"""
        self.succeeds(self.jar.python(code, path))
        self.assertEqual(visitors, [])

    def test_a_pair_for_datagrams_keeps_messages_apart_and_a_name_leads_nowhere(self):
        path, visitors = self.host_socket("host-datagram-2", socket.SOCK_DGRAM)
        code = """
import ctypes, errno, fcntl, os, socket, sys, threading
COOKIE = 71  # SO_NETNS_COOKIE
def pair(flags=0): return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM | flags)
a, b = pair()
for message in (b'one', b'two two', b'x' * 60000): a.send(message)
print([len(b.recv(70000)) for _ in range(3)])
a.sendto(b'named', sys.argv[1]); print(b.recv(100))
print(a.getsockopt(socket.SOL_SOCKET, COOKIE, 8) == socket.socket().getsockopt(socket.SOL_SOCKET, COOKIE, 8))
n = pair(socket.SOCK_NONBLOCK)
print(os.get_inheritable(a.fileno()), os.get_blocking(a.fileno()), os.get_blocking(n[1].fileno()))
libc = ctypes.CDLL(None, use_errno=True)
numbers = (ctypes.c_int * 2)()
libc.socketpair(1, 2, 0, numbers); print(numbers[0] > 2, fcntl.fcntl(numbers[0], fcntl.F_GETFD))
for arguments in ((1, 2, 0, None), (1, 2, 5, numbers)):
    print(libc.socketpair(*arguments), errno.errorcode[ctypes.get_errno()])
before = len(os.listdir('/proc/self/fd'))
def many():
    for i in range(200):
        c, d = pair(); c.send(b'%d' % i); assert d.recv(9) == b'%d' % i; c.close(); d.close()
threads = [threading.Thread(target=many) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(len(os.listdir('/proc/self/fd')) - before)
"""
        run = self.succeeds(self.jar.python(code, path))
        self.assertEqual(run.out.split("\n"), ["[3, 7, 60000]", "b'named'", "True", "False True False", "True 0", "-1 EFAULT",
                                              "-1 EPROTONOSUPPORT", "0", ""], repr(run))
        self.assertEqual(visitors, [])

    def test_of_the_session_just_work(self):
        code = """
import os, socket, tempfile
for path in ('own.sock', tempfile.mkdtemp() + '/own.sock', os.path.expanduser('~/own.sock'), '\\0own'):
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        s = socket.socket(socket.AF_UNIX, kind); s.bind(path); s.listen(1)
        c = socket.socket(socket.AF_UNIX, kind); c.connect(path)
        a, _ = s.accept(); a.sendall(b'own'); assert c.recv(3) == b'own'
        if path[0] != '\\0': os.unlink(path)
a, b = socket.socketpair(); a.sendall(b'pair'); assert b.recv(4) == b'pair'
import multiprocessing
multiprocessing.set_start_method('forkserver')
with multiprocessing.Pool(2) as p: assert p.map(abs, [-1, -2]) == [1, 2]
print('all')
"""
        with open(os.path.join(self.jar.workspace, "own_sockets.py"), "w", encoding="ascii") as file:
            file.write("if __name__ == '__main__':\n" + "".join("    " + line + "\n" for line in code.splitlines()))
        self.assertEqual(self.succeeds(self.jar.run(["/usr/bin/python3", "own_sockets.py"])).out, "all\n")


if __name__ == "__main__":
    main()
