"""The upstream resolver of the world: a small DNS server (RFC 1035, UDP and TCP) whose point is its log.

Its answers can be changed while it runs, as a rebinding resolver would. A name it does not know is NXDOMAIN; for a type
it has no address of, the answer is empty.
"""

import ipaddress
import socket
import socketserver
import struct
import threading

A, AAAA = 1, 28


def read_name(packet, offset):
    labels = []
    while packet[offset]:
        length = packet[offset]
        labels.append(packet[offset + 1:offset + 1 + length].decode("ascii", "replace"))
        offset += 1 + length
    return ".".join(labels).lower(), offset + 1


class NameServer:
    """`zone` maps a name to its addresses; `queries` lists every (name, type) that was asked, in order."""

    def __init__(self, address, zone):
        self.zone = dict(zone)
        self.queries = []
        self.lock = threading.Lock()
        owner = self

        class Datagram(socketserver.BaseRequestHandler):
            def handle(self):
                packet, sock = self.request
                sock.sendto(owner.answer(packet), self.client_address)

        class Stream(socketserver.StreamRequestHandler):
            def handle(self):
                size = struct.unpack("!H", self.rfile.read(2))[0]
                reply = owner.answer(self.rfile.read(size))
                self.wfile.write(struct.pack("!H", len(reply)) + reply)

        self.servers = [socketserver.ThreadingUDPServer((address, 53), Datagram),
                        socketserver.ThreadingTCPServer((address, 53), Stream)]
        for server in self.servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, packet):
        name, end = read_name(packet, 12)
        kind = struct.unpack("!H", packet[end:end + 2])[0]
        with self.lock:
            self.queries.append((name, kind))
            known = name in self.zone
            addresses = [ipaddress.ip_address(a) for a in self.zone.get(name, [])]
        wanted = [a for a in addresses if (a.version == 4) == (kind == A)] if kind in (A, AAAA) else []
        header = packet[:2] + struct.pack("!HHHHH", 0x8180 if known else 0x8183, 1, len(wanted), 0, 0)
        records = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 5, len(a.packed)) + a.packed for a in wanted)
        return header + packet[12:end + 4] + records

    def asked(self, name):
        with self.lock:
            return [query for query in self.queries if query[0] == name.lower()]


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET
