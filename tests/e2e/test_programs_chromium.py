"""Chromium without a window, inside: a page of the session's own localhost, one of an allowed host, and none of another."""

import base64
import hashlib
import subprocess

from world import WorldTest, main
from world.registries import write

SERVE = """
import http.server, os, subprocess, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header('content-type', 'text/html'); self.end_headers()
        self.wfile.write(b'<html><body><p id=p>before</p><script>document.getElementById("p").textContent = "rendered " + 6 * 7'
                         b'</script></body></html>')
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 8080), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


class Chromium(WorldTest):
    def browser(self, *words, sandbox=False):
        own = [] if sandbox else ["--no-sandbox"]
        return ["chromium", "--headless", *own, "--disable-gpu", "--user-data-dir=/tmp/profile", "--virtual-time-budget=20000", *words]

    def key_of_the_server(self):
        """What --ignore-certificate-errors-spki-list takes: the SHA-256 of the server's public key."""
        public = subprocess.run(["openssl", "x509", "-in", self.world.authority.certificate, "-noout", "-pubkey"], capture_output=True, check=True)
        der = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=public.stdout, capture_output=True, check=True)
        return base64.b64encode(hashlib.sha256(der.stdout).digest()).decode()

    def test_a_page_of_the_sessions_own_localhost_is_rendered_and_printed(self):
        run = self.succeeds(self.jar.python(SERVE, *self.browser("--dump-dom", "http://localhost:8080/"), timeout=120))
        self.assertIn('<p id="p">rendered 42</p>', run.out)
        run = self.succeeds(self.jar.python(SERVE, *self.browser("--print-to-pdf=page.pdf", "--screenshot=page.png", "http://localhost:8080/"), timeout=120))
        with open(self.jar.workspace + "/page.png", "rb") as picture:
            self.assertEqual(picture.read(8), b"\x89PNG\r\n\x1a\n")

    def test_a_page_of_an_allowed_host_is_and_what_it_loads_from_another_host_is_not(self):
        self.world.web
        self.world.denied.seen.clear()
        write(self.world.base + "/web/www/page.html",
              '<p id="p">static</p><script>fetch("https://denied.example/x").then(() => p.textContent = "came through",'
              ' () => p.textContent = "kept in")</script>\n')
        words = self.browser("--dump-dom", "--ignore-certificate-errors-spki-list=" + self.key_of_the_server(), "https://allowed.example/page.html")
        run = self.succeeds(self.jar.run(words, allow=["allowed.example"], timeout=120))
        self.assertIn('<p id="p">kept in</p>', run.out)
        self.assertIn("allowed.example /page.html https 200", self.world.web.log())
        self.assertTrue(self.jar.events(run.name, "dns", name="denied.example", verdict="denied"))
        self.assertEqual(self.world.denied.seen, [])
        self.assertEqual(self.world.names.asked("denied.example"), [])

    def test_its_own_sandbox_runs_with_nested_and_without_it_the_end_says_so(self):
        words = self.browser("--dump-dom", "http://localhost:8080/", sandbox=True)
        run = self.succeeds(self.jar.python(SERVE, *words, policy=self.jar.policy(more="[workspace]\nnested = true\n"), timeout=120))
        self.assertIn('<p id="p">rendered 42</p>', run.out)
        run = self.jar.python(SERVE, *words, timeout=120)
        self.assertNotIn("rendered", run.out)
        self.assertIn("`nested = true` under [workspace] in your policy allows it", run.err)


if __name__ == "__main__":
    main()
