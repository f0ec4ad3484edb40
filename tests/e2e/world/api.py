"""A stand-in of a model's API: an HTTPS server under the API's real names, which exist only in the world.

What all of them have in common is here: TLS with a certificate that an authority of the world has issued, a log of every
request, and the plan of one turn of work. A turn is told by the conversation that the agent sends along each time: as many
results of tools as stand in it, so many steps are done. The next step is called for, or, behind the last, the turn ends.
"""

import gzip
import http.server
import json
import os
import ssl
import threading

from .names import family
from .servers import Authority

API = "198.51.100.20"


class Step:
    """One call of a tool: which, with which arguments, and what its result must contain."""

    def __init__(self, tool, arguments, result=""):
        self.tool, self.arguments, self.result = tool, arguments, result


class Request:
    def __init__(self, host, method, path, headers, body):
        self.host, self.method, self.path, self.headers, self.body = host, method, path, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.method} {self.host}{self.path}"


class Api:
    """`requests` has all that arrived; `results` what the tools gave, step by step; `complaints` what was not as planned."""

    hosts: tuple
    key = "sk-ant-api03-not-a-key"  # who does not bring it gets no answer

    def __init__(self, world, hosts=None):
        self.hosts = tuple(hosts or self.hosts)
        self.requests, self.results, self.complaints, self.ended = [], [], [], 0
        self.steps, self.prompt, self.last_words = [], None, ""
        self.hold = None  # an Event: the answer of the turn waits for it, with the connection open
        self.asked = threading.Event()
        for host in self.hosts:
            world.names.zone[host] = [API]
        folder = world.base + "/api"
        os.makedirs(folder)
        authority = Authority(folder, list(self.hosts))
        self.ca = authority.file
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.certificate, authority.key)
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def setup(self):
                self.request = context.wrap_socket(self.request, server_side=True)
                super().setup()

            def answer(self):
                request = Request(self.headers.get("Host", ""), self.command, self.path,
                                  {name.lower(): value for name, value in self.headers.items()}, self.read_body())
                owner.requests.append(request)
                owner.answer(request, self)

            def read_body(self):
                if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
                    body = b""
                    while size := int(self.rfile.readline().split(b";")[0], 16):
                        body += self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                else:
                    body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

            def reply(self, status, value):
                """A short answer in JSON."""
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def stream(self, events, named=True):
                """Server-sent events, each in a chunk of its own. `events` are JSON values; `named`: their type is said first."""
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for event in events:
                    text = (f"event: {event['type']}\n" if named else "") + "data: " + json.dumps(event) + "\n\n"
                    self.wfile.write(f"{len(text):x}\r\n{text}\r\n".encode())
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            do_GET = do_POST = do_HEAD = do_PUT = answer

            def log_message(self, *words):
                pass

        class Server(http.server.ThreadingHTTPServer):
            address_family = family(API)
            daemon_threads = True

            def handle_error(self, request, address):
                pass  # a client that leaves in the midst of an answer

        self.server = Server((API, 443), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    # The turn ---------------------------------------------------------------------------------------------------------
    def plan(self, prompt, steps, last_words):
        self.prompt, self.steps, self.last_words = prompt, list(steps), last_words
        self.requests, self.results, self.complaints, self.ended, self.hold = [], [], [], 0, None
        self.asked.clear()

    def next_step(self, results):
        """The step that follows these results of tools (text, in order), or None when the turn is over."""
        self.asked.set()
        if self.hold:
            self.hold.wait(60)
        self.results = list(results)
        for step, result in zip(self.steps, results):
            if step.result not in result:
                self.complaints.append(f"{step.tool}: no {step.result!r} in its result {result!r}")
        if len(results) >= len(self.steps):
            self.ended += 1
            return None
        return self.steps[len(results)]

    def offers(self, step, tools):
        """Notes it when the agent has no such tool: the names of tools change with its versions."""
        if step and step.tool not in tools:
            self.complaints.append(f"the agent offers no tool {step.tool!r}; it offers {sorted(set(map(str, tools)))}")

    def paths(self):
        return [repr(request) for request in self.requests]

    def answer(self, request, handler):
        raise NotImplementedError
