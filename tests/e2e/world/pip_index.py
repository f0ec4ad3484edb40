"""A package index for pip on pip.example: the simple repository API (PEP 503), with wheels built by hand (PEP 427)."""

import base64
import hashlib
import http.server
import os
import ssl
import threading
import zipfile

from .servers import PIP


def build_wheel(folder, name, version, code, requires=(), command=None):
    """A wheel of one module; `command` becomes a console script that calls the module's main(). Returns its file name."""
    about = f"{name}-{version}.dist-info"
    files = {f"{name}.py": code,
             f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {r}\n" for r in requires),
             f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    if command:
        files[f"{about}/entry_points.txt"] = f"[console_scripts]\n{command} = {name}:main\n"
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text.encode())}\n"
                     for path, text in files.items())
    files[f"{about}/RECORD"] = record + f"{about}/RECORD,,\n"
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{wheel}", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


class PipIndex:
    ADDRESS = "https://pip.example/simple/"

    def __init__(self, folder, authority):
        os.makedirs(folder)
        self.folder, self.wheels = folder, {}
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                kind, body = owner.answer(self.path)
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer((PIP, 443), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.certificate, authority.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def publish(self, name, version, code, **how):
        self.wheels.setdefault(name, []).append(build_wheel(self.folder, name, version, code, **how))

    def answer(self, path):
        parts = path.strip("/").split("/")
        if parts[0] == "files" and os.path.exists(f"{self.folder}/{parts[-1]}"):
            with open(f"{self.folder}/{parts[-1]}", "rb") as file:
                return "application/octet-stream", file.read()
        if len(parts) == 2 and parts[0] == "simple" and parts[1] in self.wheels:
            links = ""
            for wheel in self.wheels[parts[1]]:
                with open(f"{self.folder}/{wheel}", "rb") as file:
                    links += f'<a href="/files/{wheel}#sha256={hashlib.sha256(file.read()).hexdigest()}">{wheel}</a>\n'
            return "text/html", f"<!DOCTYPE html><html><body>\n{links}</body></html>".encode()
        return "text/html", None
