"""The rules hold for every kind of program, not only for those that honour a proxy or use the C library."""

import json

from world import WorldTest, main
from world.servers import DENIED, WEB, Counters

NODE = """
fetch(process.argv[1]).then(r => r.text()).then(t => console.log(JSON.stringify({text: t})))
    .catch(e => console.log(JSON.stringify({code: e.cause ? e.cause.code : String(e)})));
"""


class Programs(WorldTest):
    def setUp(self):
        self.world.web
        self.world.denied.seen.clear()

    def nothing_seen(self, before):
        self.assertEqual(self.world.denied.seen, [])
        self.assertEqual(self.world.names.asked("denied.example"), [])
        self.assertEqual(Counters(), before)

    def test_a_static_program_with_raw_system_calls(self):
        program = self.world.compile("raw_connect.c", "-static", "-nostdlib", "-fno-stack-protector", "-fno-builtin")
        before = Counters()
        run = self.jar.run([program, DENIED, "443"])
        self.assertEqual(run.status, 13, repr(run))  # EACCES is what connect(2) gave it
        self.nothing_seen(before)
        event = self.one_event(run.name, "egress", verdict="denied")
        self.assertEqual((event["ip"], event["port"], event["exe"], event["argv"]), (DENIED, 443, program, [program, DENIED, "443"]))
        self.succeeds(self.jar.run([program, WEB, "80"], allow=[WEB + ":80"]))

    def test_fetch_of_node(self):
        before = Counters()
        run = self.succeeds(self.jar.run(["node", "-e", NODE, "http://denied.example/"], allow=["allowed.example"]))
        self.assertEqual(json.loads(run.out), {"code": "ENOTFOUND"})
        by_address = self.succeeds(self.jar.run(["node", "-e", NODE, f"http://{DENIED}/"], allow=["allowed.example"]))
        self.assertEqual(json.loads(by_address.out), {"code": "EACCES"})
        self.nothing_seen(before)
        event = self.jar.denials(by_address.name, ip=DENIED, port=80)[0]
        self.assertTrue(event["exe"].endswith("/node"), event)
        words = ["env", "NODE_EXTRA_CA_CERTS=" + self.jar.workspace + "/ca.pem", "node", "-e", NODE, "https://allowed.example/"]
        run = self.succeeds(self.jar.run(words, allow=["allowed.example"]))
        self.assertEqual(json.loads(run.out), {"text": "a page of the allowed host\n"})

    def test_urllib_of_python(self):
        code = ("import sys, urllib.request, ssl\ntry: print(urllib.request.urlopen(sys.argv[1], timeout=20, "
                "context=ssl.create_default_context(cafile='ca.pem')).read().decode())\nexcept OSError as e: print(e)")
        before = Counters()
        run = self.succeeds(self.jar.python(code, f"https://{DENIED}/", allow=["allowed.example"]))
        self.assertIn("Permission denied", run.out)
        run = self.succeeds(self.jar.python(code, "https://denied.example/", allow=["allowed.example"]))
        self.assertIn("Name or service not known", run.out)
        self.nothing_seen(before)
        run = self.succeeds(self.jar.python(code, "https://allowed.example/", allow=["allowed.example"]))
        self.assertIn("a page", run.out)

    def test_curl_told_the_address_and_to_use_no_proxy(self):
        before = Counters()
        run = self.jar.run(["curl", "-sS", "--noproxy", "*", "--resolve", f"allowed.example:443:{DENIED}", "https://allowed.example/"],
                           allow=["allowed.example"])
        self.assertEqual(run.status, 7, repr(run))  # curl(1): failed to connect
        self.nothing_seen(before)
        event = self.jar.denials(run.name, ip=DENIED, port=443)[0]
        self.assertIn("--resolve", event["argv"])

    def test_a_static_Go_program_with_its_own_resolver(self):
        program = self.world.compile("get.go")
        before = Counters()
        run = self.succeeds(self.jar.run([program, f"http://{DENIED}/"], allow=["allowed.example"]))
        self.assertIn("permission denied", run.out)
        run = self.succeeds(self.jar.run([program, "http://denied.example/"], allow=["allowed.example"]))
        self.assertIn("no such host", run.out)
        self.nothing_seen(before)
        self.assertEqual(self.jar.events(run.name, "dns", name="denied.example")[0]["verdict"], "denied")
        words = ["env", "SSL_CERT_FILE=" + self.jar.workspace + "/ca.pem", program, "https://allowed.example/"]
        run = self.succeeds(self.jar.run(words, allow=["allowed.example"]))
        self.assertIn("a page", run.out)
        self.assertEqual(self.one_event(run.name, "egress", verdict="allowed")["exe"], program)

    def test_ssh_to_a_denied_host(self):
        before = Counters()
        for host in ("denied.example", DENIED):
            run = self.jar.run(["ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", host, "true"], allow=["git.example:22"])
            self.assertEqual(run.status, 255, repr(run))
        self.nothing_seen(before)
        self.assertEqual(self.jar.denials(run.name, ip=DENIED)[0]["port"], 22)


if __name__ == "__main__":
    main()
