"""The server's half of a WebSocket (RFC 6455), as far as a test needs it: text in and out, ping, close."""

import base64
import hashlib
import struct

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class WebSocket:
    """Answers the upgrade that `handler` has just read; refuses extensions by not naming any."""

    def __init__(self, handler):
        self.read_from, self.write_to = handler.rfile, handler.wfile
        key = handler.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        handler.send_response(101)
        handler.send_header("Upgrade", "websocket")
        handler.send_header("Connection", "Upgrade")
        handler.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        handler.end_headers()
        handler.close_connection = True

    def frame(self):
        """(opcode, bytes, whether it is the message's last)"""
        first, second = self.exactly(2)
        size = second & 127
        if size == 126:
            size = struct.unpack("!H", self.exactly(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", self.exactly(8))[0]
        mask = self.exactly(4) if second & 128 else bytes(4)
        data = self.exactly(size)
        key = (mask * (size // 4 + 1))[:size]
        data = (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
        return first & 15, data, bool(first & 128)

    def exactly(self, size):
        data = self.read_from.read(size)
        if len(data) < size:
            raise ConnectionError("the client left")
        return data

    def messages(self):
        """Each message as text, until the client closes or leaves."""
        text = b""
        while True:
            try:
                kind, data, last = self.frame()
            except OSError:
                return
            if kind == CLOSE:
                self.send(data, CLOSE)
                return
            if kind == PING:
                self.send(data, PONG)
            elif kind != PONG:
                text += data
                if last:
                    yield text.decode()
                    text = b""

    def send(self, data, kind=TEXT):
        size = len(data)
        length = bytes([size]) if size < 126 else b"\x7e" + struct.pack("!H", size) if size < 65536 else b"\x7f" + struct.pack("!Q", size)
        self.write_to.write(bytes([0x80 | kind]) + length + data)
        self.write_to.flush()
