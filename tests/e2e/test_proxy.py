"""Where the host has a proxy, the door goes through it; the session knows nothing of it and is allowed no more than before."""

import json
import os

from world import WorldTest, main
from world.proxies import Proxy
from world.servers import DENIED

NODE = "fetch('https://allowed.example/').then(r => r.text()).then(t => console.log(t)).catch(e => console.log(e.cause ? e.cause.code : e))"


class Proxies(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.proxy = Proxy(cls.world.base + "/proxy", deny=["second.example"])

    def setUp(self):
        self.world.web
        self.names = len(self.world.names.queries)

    def environment(self, **more):
        return {**os.environ, "HTTPS_PROXY": self.proxy.url, **more}

    def fetch(self, url, allow=("allowed.example",), **environment):
        return self.jar.run(["curl", "-sS", "--cacert", "ca.pem", url], allow=allow, environment=self.environment(**environment))

    def test_an_allowed_host_is_reached_through_it_with_its_password(self):
        run = self.succeeds(self.fetch("https://allowed.example/"))
        self.assertEqual(run.out, "a page of the allowed host\n")
        self.assertIn("CONNECT allowed.example:443", self.proxy.log())
        event = self.one_event(run.name, "egress", verdict="allowed")
        self.assertEqual((event["host"], event["proxy"], event["ip"]), ("allowed.example", self.proxy.address, "10.1.2.3"))
        closed = self.one_event(run.name, "egress-closed")
        self.assertGreater(closed["bytes_received"], 100)
        self.assertIn(f"through the proxy {self.proxy.address}", self.jar.call("audit", "show", run.name).out)

    def test_programs_that_know_no_proxy_use_it_all_the_same(self):
        words = ["env", "NODE_EXTRA_CA_CERTS=" + self.jar.workspace + "/ca.pem", "node", "-e", NODE]
        run = self.succeeds(self.jar.run(words, allow=["allowed.example"], environment=self.environment()))
        self.assertEqual(run.out.strip(), "a page of the allowed host")
        self.assertEqual(self.one_event(run.name, "egress", verdict="allowed")["proxy"], self.proxy.address)

    def test_a_server_that_speaks_first_is_heard(self):
        self.world.ssh
        run = self.jar.python("import socket\nprint(socket.create_connection(('git.example', 22)).recv(8))", allow=["git.example:22"],
                              environment=self.environment())
        self.assertIn("b'SSH-2.0-'", self.succeeds(run).out)

    def test_a_denied_host_is_denied_before_the_proxy_hears_of_it(self):
        before = self.proxy.log()
        for url in ("https://denied.example/", f"https://{DENIED}/", "https://second.example/"):
            self.assertNotEqual(self.fetch(url).status, 0)
        self.assertEqual(self.proxy.log(), before)

    def test_the_proxy_s_own_refusal_is_in_the_record(self):
        run = self.fetch("https://second.example/", allow=["second.example"])
        self.assertIn(run.status, (7, 35), repr(run))  # curl(1): the connect failed, or was reset as it does not wait for it
        closed = self.one_event(run.name, "egress-closed")
        self.assertIn(f"the proxy {self.proxy.address}: it answered 403", closed["reason"])

    def test_a_wrong_password_is_said(self):
        run = self.fetch("https://allowed.example/", HTTPS_PROXY=f"http://tess:wrong@{self.proxy.address}")
        self.assertIn(run.status, (7, 35), repr(run))
        reason = self.one_event(run.name, "egress-closed")["reason"]
        self.assertRegex(reason, "it answered 40[17] .*carries no USER:PASSWORD")

    def test_NO_PROXY_is_reached_directly_and_judged_as_ever(self):
        before = self.proxy.log()
        run = self.succeeds(self.fetch("https://allowed.example/", NO_PROXY="other.example,.allowed.example"))
        self.assertEqual(self.proxy.log(), before)
        self.assertNotIn("proxy", self.one_event(run.name, "egress", verdict="allowed"))

    def test_names_are_left_to_the_proxy(self):
        self.world.names.zone["allowed.example"], kept = [], self.world.names.zone["allowed.example"]
        asked = len(self.world.names.asked("allowed.example"))
        self.fetch("https://allowed.example/")
        # The proxy asks once; the session's own resolver does not.
        self.assertEqual(len(self.world.names.asked("allowed.example")) - asked, 2, self.world.names.queries[self.names:])
        self.world.names.zone["allowed.example"] = kept

    def test_its_certificate_authority_is_visible_and_named_inside(self):
        authority = self.world.home + "/corporate-ca.pem"
        with open(self.world.authority.file, "rb") as source, open(authority, "wb") as target:
            target.write(source.read())
        run = self.jar.run(["curl", "-sS", "https://allowed.example/"], allow=["allowed.example"],
                           environment=self.environment(CURL_CA_BUNDLE=authority, SSL_CERT_FILE="/nowhere/ca.pem"))
        self.assertEqual(self.succeeds(run).out, "a page of the allowed host\n")
        run = self.jar.run(["sh", "-c", f"env; echo x >> {authority}"], allow=["allowed.example"],
                           environment=self.environment(CURL_CA_BUNDLE=authority, SSL_CERT_FILE="/nowhere/ca.pem"))
        self.assertIn(f"CURL_CA_BUNDLE={authority}\n", run.out)
        self.assertNotIn("SSL_CERT_FILE", run.out)
        self.assertNotEqual(run.status, 0)
        run = self.jar.run(["sh", "-c", f"env; ls {authority}"], environment={**os.environ, "CURL_CA_BUNDLE": authority})
        self.assertNotIn("CURL_CA_BUNDLE", run.out)
        self.assertNotEqual(run.status, 0)

    def test_the_password_is_nowhere_inside_and_nowhere_on_disk(self):
        code = ("import os, glob\nprint(dict(os.environ))\nfor path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/*/fd/*'):\n"
                "    try: print(os.path.isfile(path) and open(path, 'rb').read(100000))\n    except OSError: pass")
        run = self.jar.python(code, allow=["allowed.example"], environment=self.environment())
        secrets = (b"s3cret", b"dGVzczpz")
        for secret in secrets:
            self.assertNotIn(secret.decode(), run.out)
        folder, seen = self.jar.folder(run.name), 0
        for where, _, files in os.walk(folder):
            for name in files:
                with open(os.path.join(where, name), "rb") as file:
                    data = file.read()
                seen += len(data)
                self.assertFalse(any(secret in data for secret in secrets), name)
        self.assertGreater(seen, 1000)
        self.assertIn(self.proxy.address, json.dumps(self.jar.events(run.name, "session-started")))

    def test_what_is_no_http_proxy_is_refused_in_one_line(self):
        for url in ("https://tess:s3cret@proxy.example:3128", "socks5://127.0.0.1:1080", "http://"):
            run = self.fetch("https://allowed.example/", HTTPS_PROXY=url)
            self.assertEqual(run.status, 125, repr(run))
            self.assertEqual(len(run.err.strip().splitlines()), 1, run.err)
            self.assertNotIn("s3cret", run.err)
        self.succeeds(self.jar.run(["true"], environment=self.environment(HTTPS_PROXY="socks5://127.0.0.1:1080")))


if __name__ == "__main__":
    main()
