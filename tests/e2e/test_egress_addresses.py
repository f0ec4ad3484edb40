"""An allowed name must not be a way to an address behind the door: loopback, private, link-local, metadata, wrapped forms."""

import json
import time

from world import WorldTest, main
from world.servers import Counters, Witness

CONNECT = """
import errno, json, socket, sys
address = socket.gethostbyname(sys.argv[1])
s = socket.socket()
code = s.connect_ex((address, int(sys.argv[2])))
got = ''
if code == 0:
    try: got = s.recv(99).decode()
    except OSError as e: code = e.errno
print(json.dumps({'errno': errno.errorcode.get(code, str(code)), 'got': got}))
"""

# name → what the upstream resolver says it is, and a word of the reason that the record must give
INSIDE = {"loopback.example": ("127.0.0.1", "loopback"),
          "other-loopback.example": ("127.9.9.9", "loopback"),
          "ten.example": ("10.1.2.3", "private"),
          "twelve.example": ("172.16.9.9", "private"),
          "sixteen.example": ("192.168.7.7", "private"),
          "carrier.example": ("100.64.0.5", ""),
          "metadata.example": ("169.254.169.254", "metadata"),
          "loopback6.example": ("::1", "loopback"),
          "mapped.example": ("::ffff:10.1.2.3", "private"),
          "nat64.example": ("64:ff9b::a01:203", "private"),
          "sixtofour.example": ("2002:a01:203::1", "private"),
          "unique-local.example": ("fd00:1::1", "private"),
          "unspecified.example": ("0.0.0.0", ""),
          "stand-in.example": ("198.18.0.77", "")}


class ResolvedAddresses(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.world.names.zone.update({name: [address] for name, (address, _) in INSIDE.items()})
        cls.world.names.zone["mixed.example"] = ["10.1.2.3", "198.51.100.40"]
        cls.behind = Witness(["0.0.0.0", "::"], [7000], greeting=b"behind")

    def setUp(self):
        self.behind.seen.clear()

    def test_are_refused_with_their_reason_when_they_are_not_public(self):
        for name, (address, word) in INSIDE.items():
            with self.subTest(name=name, address=address):
                before = Counters().values["Tcp:ActiveOpens"]
                run = self.succeeds(self.jar.python(CONNECT, name, "7000", allow=[name + ":7000"]))
                self.assertEqual(json.loads(run.out)["errno"], "EACCES")
                self.assertEqual(self.behind.seen, [])
                self.assertEqual(Counters().values["Tcp:ActiveOpens"], before)
                event = self.one_event(run.name, "egress", verdict="denied")
                self.assertEqual((event["host"], event["port"]), (name, 7000))
                self.assertIn(word, event["reason"])

    def test_are_allowed_once_the_policy_calls_the_name_private(self):
        for name in ("loopback.example", "ten.example", "carrier.example", "metadata.example", "loopback6.example", "mapped.example",
                     "nat64.example", "unique-local.example"):
            with self.subTest(name=name):
                policy = self.jar.policy(allow=[name + ":7000"], private=[name])
                run = self.succeeds(self.jar.python(CONNECT, name, "7000", policy=policy))
                self.assertEqual(json.loads(run.out), {"errno": "0", "got": "behind"})
                self.assertEqual(self.one_event(run.name, "egress", verdict="allowed")["host"], name)

    def test_of_which_one_is_private_leave_only_the_public_ones(self):
        public = Witness(["198.51.100.40"], [7001], greeting=b"public")
        run = self.succeeds(self.jar.python(CONNECT, "mixed.example", "7001", allow=["mixed.example:7001"]))
        self.assertEqual(json.loads(run.out)["got"], "public")
        self.assertEqual(self.one_event(run.name, "egress", verdict="allowed")["ip"], "198.51.100.40")
        self.assertEqual(len(public.seen), 1)

    def test_cannot_be_rebound_between_two_connections(self):
        public, rebound = Witness(["198.51.100.41"], [7003], greeting=b"public"), Witness(["127.0.0.1"], [7003], greeting=b"behind")
        self.world.names.zone["rebinding.example"] = ["198.51.100.41"]
        code = CONNECT + "\nimport os, time\nopen('first', 'w').close()\nwhile not os.path.exists('second'): time.sleep(.05)\n" + \
            CONNECT.split("\n", 2)[2]
        name, process = self.jar.start(["/usr/bin/python3", "-c", code, "rebinding.example", "7003"], allow=["rebinding.example:7003"])
        self.jar.wait_for_file("first")
        self.world.names.zone["rebinding.example"] = ["127.0.0.1"]
        time.sleep(11)  # longer than an answer is kept: this one has to be asked for again
        open(self.jar.workspace + "/second", "w").close()
        out, _ = process.communicate(timeout=60)
        first, second = [json.loads(line) for line in out.decode().splitlines()]
        self.assertEqual((first["got"], second), ("public", {"errno": "EACCES", "got": ""}))
        self.assertEqual((len(public.seen), rebound.seen), (1, []))
        self.assertIn("loopback", self.one_event(name, "egress", verdict="denied")["reason"])

    def test_that_are_refused_reset_a_connection_that_did_not_wait(self):
        code = CONNECT.replace("s = socket.socket()", "s = socket.socket(); s.settimeout(20)")
        run = self.succeeds(self.jar.python(code, "loopback.example", "7000", allow=["loopback.example:7000"]))
        self.assertIn(json.loads(run.out)["errno"], ("ECONNRESET", "EACCES"))
        self.assertEqual(self.behind.seen, [])
        self.assertIn("loopback", self.one_event(run.name, "egress", verdict="denied")["reason"])

    def test_that_the_policy_names_itself_are_allowed_as_written(self):
        code = CONNECT.replace("socket.gethostbyname(sys.argv[1])", "sys.argv[1]")
        for address, rules in (("10.9.2.3", {"allow": ["10.9.2.0/24:7000"]}),
                               ("10.1.2.3", {"allow": ["10.1.2.0/24:7000"], "private": ["10.1.2.3"]})):  # the host's own
            run = self.succeeds(self.jar.python(code, address, "7000", policy=self.jar.policy(**rules)))
            self.assertEqual(json.loads(run.out)["got"], "behind", self.jar.events(run.name))

    def test_of_the_host_itself_are_not_meant_by_a_network_that_holds_them(self):
        code = CONNECT.replace("socket.gethostbyname(sys.argv[1])", "sys.argv[1]")
        run = self.succeeds(self.jar.python(code, "10.1.2.3", "7000", policy=self.jar.policy(allow=["10.0.0.0/8:7000"])))
        self.assertEqual(json.loads(run.out)["errno"], "EACCES")
        self.assertIn("this host", self.one_event(run.name, "egress", verdict="denied")["reason"])


if __name__ == "__main__":
    main()
