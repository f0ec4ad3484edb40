"""The servers of the world: nginx with a certificate authority of its own, sshd, and witnesses.

A witness is a listener that writes down every connection and datagram that reaches it. It is what a denied host sees.
"""

import os
import select
import socket
import subprocess
import threading
import time

from .names import family

WEB, WEB6, GIT, DENIED, DENIED6 = "198.51.100.10", "2001:db8::10", "198.51.100.11", "203.0.113.66", "2001:db8:66::66"
JUMP, NPM, PIP, STREAM = "198.51.100.12", "198.51.100.13", "198.51.100.14", "198.51.100.15"
ZONE = {"allowed.example": [WEB], "second.example": [WEB], "six.example": [WEB6], "both.example": [WEB, WEB6],
        "git.example": [GIT], "denied.example": [DENIED, DENIED6], "sub.allowed.example": [WEB],
        "jump.example": [JUMP], "npm.example": [NPM], "pip.example": [PIP], "stream.example": [STREAM]}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def wait_for(condition, what, seconds=10.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {seconds:g} s")


def answers(address, port):
    try:
        socket.create_connection((address, port), 1).close()
        return True
    except OSError:
        return False


class Witness:
    """Listens on each (address, port), TCP and UDP; `seen` has one line for all that arrived.

    With `greeting` a connection gets those bytes; what it sends is kept in `received`.
    """

    def __init__(self, addresses, ports, greeting=b"", echo=False, quiet=False):
        self.seen, self.received, self.accepted = [], [], 0
        self.greeting, self.echo, self.quiet = greeting, echo, quiet
        self.sockets = {}
        for address in addresses:
            for port in ports:
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                    sock = socket.socket(family(address), kind)
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    if family(address) == socket.AF_INET6:
                        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                    sock.bind((address, port))
                    if kind == socket.SOCK_STREAM:
                        sock.listen(4096)
                    sock.setblocking(False)
                    self.sockets[sock.fileno()] = (sock, address, port, kind)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        poll = select.epoll()
        for number in self.sockets:
            poll.register(number, select.EPOLLIN)
        while True:
            for number, _ in poll.poll():
                sock, address, port, kind = self.sockets[number]
                try:
                    if kind == socket.SOCK_STREAM:
                        connection, peer = sock.accept()
                        self.accepted += 1
                        if self.quiet:
                            connection.close()
                            continue
                        self.seen.append(f"tcp {address}:{port} from {peer[0]}")
                        threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
                    else:
                        data, peer = sock.recvfrom(65536)
                        self.seen.append(f"udp {address}:{port} from {peer[0]}: {data[:80]!r}")
                except BlockingIOError:
                    pass

    def _serve(self, connection):
        with connection:
            try:
                connection.settimeout(30)
                connection.sendall(self.greeting)
                while data := connection.recv(65536):
                    self.received.append(data)
                    if self.echo:
                        connection.sendall(data)
            except OSError:
                pass


class Authority:
    """A certificate authority and one server certificate for all names of the zone."""

    def __init__(self, folder, names):
        self.file, self.certificate, self.key = folder + "/ca.pem", folder + "/server.pem", folder + "/server.key"
        ca_key, request, extensions = folder + "/ca.key", folder + "/server.csr", folder + "/server.ext"
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", ca_key, "-out", self.file, "-days", "2",
            "-subj", "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        run("openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", self.key, "-out", request,
            "-subj", "/CN=" + names[0])
        with open(extensions, "w", encoding="ascii") as file:
            file.write("subjectAltName=" + ",".join("DNS:" + name for name in names) + "\n")
        run("openssl", "x509", "-req", "-in", request, "-CA", self.file, "-CAkey", ca_key, "-CAcreateserial", "-days", "2",
            "-extfile", extensions, "-out", self.certificate)


class WebServer:
    """nginx on 80 and 443 of the allowed address; every request is in its log."""

    def __init__(self, folder, authority, addresses=(WEB, WEB6)):
        os.makedirs(folder + "/www")
        with open(folder + "/www/index.html", "w", encoding="ascii") as file:
            file.write("a page of the allowed host\n")
        self.log_file = folder + "/access.log"
        hosts = [f"[{a}]" if ":" in a else a for a in addresses]
        listen = "".join(f"    listen {h}:80; listen {h}:443 ssl;\n" for h in hosts)
        temp = "".join(f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(folder + "/nginx.conf", "w", encoding="ascii") as file:
            file.write(f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;\n"
                       f"events {{ worker_connections 512; }}\nhttp {{\n{temp}"
                       f"  log_format own '$remote_addr $host $request_uri $scheme $status $body_bytes_sent';\n"
                       f"  access_log {self.log_file} own; client_max_body_size 1g;\n  server {{\n{listen}"
                       f"    ssl_certificate {authority.certificate}; ssl_certificate_key {authority.key};\n"
                       f"    root {folder}/www;\n"
                       f"    location = /bounce {{ return 302 http://denied.example/; }}\n  }}\n}}\n")
        self.process = subprocess.Popen(["nginx", "-p", folder, "-c", folder + "/nginx.conf"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        wait_for(lambda: all(answers(a, 443) for a in addresses), "nginx")

    def log(self):
        with open(self.log_file, encoding="utf-8", errors="replace") as file:
            return file.read()


class SshServer:
    """sshd as the test user, under one name; the client's key pair is its own."""

    def __init__(self, folder, address=GIT, name="git.example"):
        os.makedirs(folder)
        self.key, self.known_hosts = folder + "/client", folder + "/known_hosts"
        for key in (folder + "/host", self.key):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        os.link(self.key + ".pub", folder + "/authorized")
        with open(folder + "/host.pub", encoding="ascii") as public, open(self.known_hosts, "w", encoding="ascii") as known:
            known.write(name + " " + " ".join(public.read().split()[:2]) + "\n")
        with open(folder + "/config", "w", encoding="ascii") as file:
            file.write(f"ListenAddress {address}\nPort 22\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
                       f"PidFile {folder}/pid\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                       "Subsystem sftp internal-sftp\n")
        self.process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", folder + "/config"], stdout=subprocess.DEVNULL,
                                        stderr=open(folder + "/log", "w", encoding="utf-8"))
        wait_for(lambda: answers(address, 22), "sshd")


class Counters:
    """What this network namespace itself has sent out: nothing that a denied attempt may move."""

    NAMES = {"Tcp": ["ActiveOpens"], "Udp": ["OutDatagrams"]}

    def __init__(self):
        text = open("/proc/net/snmp", encoding="ascii").read()
        lines = [line.split() for line in text.splitlines()]
        self.values = {}
        for names, values in zip(lines[::2], lines[1::2]):
            for name, value in list(zip(names, values))[1:]:
                if name in self.NAMES.get(names[0].rstrip(":"), []):
                    self.values[names[0] + name] = int(value)
        for line in open("/proc/net/snmp6", encoding="ascii"):
            name, value = line.split()
            if name in ("Udp6OutDatagrams",):
                self.values[name] = int(value)

    def __eq__(self, other):
        return self.values == other.values

    def __repr__(self):
        return repr(self.values)
