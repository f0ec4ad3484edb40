"""A server on stream.example whose connections live long: server-sent events, a websocket (RFC 6455) and uploads, on 80 and on
443 with TLS; and on 9001 one that ends its own half first and reads on."""

import base64
import hashlib
import http.server
import socket
import ssl
import struct
import threading
import time

from .servers import STREAM

GREETING = b"that was all from me\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.websocket()
        silence, _, count = self.path.rpartition("/")[2].partition("x")  # "/events/0.2x5": five events, 0.2 s apart
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number in range(int(count)):
            time.sleep(float(silence) if number else 0)
            self.wfile.write(f"data: event {number}\n\n".encode())
        self.close_connection = True

    def websocket(self):
        accept = hashlib.sha1((self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(accept).decode())
        self.end_headers()
        self.close_connection = True
        while True:  # every frame of a client is masked, and short here
            head = self.rfile.read(2)
            if len(head) < 2:
                return
            size = head[1] & 127
            if size == 126:
                size = struct.unpack("!H", self.rfile.read(2))[0]
            mask = self.rfile.read(4)
            data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.rfile.read(size)))
            answer = data.upper() if head[0] & 15 == 1 else data
            self.wfile.write(head[:1] + (bytes([len(answer)]) if len(answer) < 126 else b"\x7e" + struct.pack("!H", len(answer))) + answer)
            if head[0] & 15 == 8:
                return

    def do_PUT(self):
        left, digest = int(self.headers["Content-Length"]), hashlib.sha256()
        while left:
            data = self.rfile.read(min(left, 1 << 20))
            if not data:
                return
            digest.update(data)
            left -= len(data)
        body = digest.hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class StreamServer:
    def __init__(self, authority):
        self.half_closed = []  # how many bytes came after our end
        for port in (80, 443):
            server = http.server.ThreadingHTTPServer((STREAM, port), Handler)
            server.daemon_threads = True
            if port == 443:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(authority.certificate, authority.key)
                server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        listener = socket.create_server((STREAM, 9001))
        threading.Thread(target=self._end_first, args=(listener,), daemon=True).start()

    def _end_first(self, listener):
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(GREETING)
                connection.shutdown(socket.SHUT_WR)
                count = 0
                while data := connection.recv(65536):
                    count += len(data)
                self.half_closed.append(count)
