"""A package registry for npm, pnpm and yarn on npm.example: tarballs that `npm pack` made, and packuments as npm expects them
(https://github.com/npm/registry, docs/responses/package-metadata.md)."""

import http.server
import json
import os
import ssl
import subprocess
import threading
import urllib.parse

from .npm_tools import installed
from .servers import NPM


class NpmRegistry:
    ADDRESS = "https://npm.example"

    def __init__(self, folder, authority):
        os.makedirs(folder)
        self.folder, self.packages, self.requests = folder, {}, []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                owner.requests.append(self.path)
                kind, body = owner.answer(urllib.parse.unquote(urllib.parse.urlsplit(self.path).path).lstrip("/"))
                self.send_response(200 if body is not None else 404)
                body = body if body is not None else b"{}"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):  # audits and the like: nothing to tell
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer((NPM, 443), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.certificate, authority.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, path):
        if path.startswith("-/tarballs/"):
            with open(f"{self.folder}/{os.path.basename(path)}", "rb") as file:
                return "application/octet-stream", file.read()
        if path in self.packages:
            return "application/json", json.dumps(self.packages[path]).encode()
        return "application/json", None

    def publish(self, manifest, files):
        """Packs a package of these files ({path: text}) and offers it as its latest version."""
        source = f"{self.folder}/source/{manifest['name']}"
        for path, text in {**files, "package.json": json.dumps(manifest)}.items():
            os.makedirs(os.path.dirname(f"{source}/{path}"), exist_ok=True)
            with open(f"{source}/{path}", "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run(["node", installed("npm/bin/npm-cli.js"), "pack", "--json", "--ignore-scripts", "--pack-destination", self.folder],
                              cwd=source, capture_output=True, text=True, check=True)
        packed = json.loads(done.stdout)[0]
        dist = {"tarball": f"{self.ADDRESS}/-/tarballs/{os.path.basename(packed['filename'])}", "integrity": packed["integrity"],
                "shasum": packed["shasum"]}
        version = manifest["version"]
        package = self.packages.setdefault(manifest["name"], {"name": manifest["name"], "dist-tags": {}, "versions": {}, "time": {}})
        package["dist-tags"]["latest"] = version
        package["time"][version] = "2024-01-01T00:00:00.000Z"
        scripts = manifest.get("scripts", {})
        package["versions"][version] = {**manifest, "dist": dist, "hasInstallScript": any(name.endswith("install") for name in scripts)}
