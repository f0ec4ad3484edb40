"""Datagrams: a connected socket gets EACCES, an unconnected datagram is dropped; both are recorded and none leaves."""

import json

from world import WorldTest, main
from world.servers import DENIED, DENIED6, Counters


class Datagrams(WorldTest):
    def setUp(self):
        self.world.denied.seen.clear()
        self.before = Counters()

    def tearDown(self):
        self.assertEqual(self.world.denied.seen, [])
        self.assertEqual(Counters(), self.before)

    def test_a_connected_socket_is_refused(self):
        code = ("import errno, socket, sys\ns = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)\n"
                "print(errno.errorcode.get(s.connect_ex((sys.argv[1], 443)), 0))")
        for address in (DENIED, DENIED6):
            run = self.succeeds(self.jar.python(code, address, allow=[address if ":" not in address else f"[{address}]"]))
            self.assertEqual(run.out, "EACCES\n")
            event = self.one_event(run.name, "egress", verdict="denied")
            self.assertEqual((event["proto"], event["ip"], event["port"]), ("udp", address, 443))

    def test_unconnected_datagrams_are_dropped_and_counted(self):
        code = ("import socket, sys, time\ns = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)\n"
                "sent = 0\nfor i in range(50):\n    try: s.sendto(b'secret', (sys.argv[1], 443)); sent += 1\n    except OSError: pass\n"
                "    time.sleep(.002)\ntime.sleep(.5); print(sent)")
        for address in (DENIED, DENIED6):
            run = self.succeeds(self.jar.python(code, address))
            sent = int(run.out)
            events = self.jar.denials(run.name, ip=address, port=443)
            self.assertTrue(events, self.jar.events(run.name))
            self.assertEqual({e["proto"] for e in events}, {"udp"})
            self.assertEqual(sum(e.get("count", 1) for e in events), sent)

    def test_other_families_and_protocols_do_not_open(self):
        code = """
import errno, json, socket
def opens(*a):
    try: socket.socket(*a).close(); return 'opened'
    except OSError as e: return errno.errorcode[e.errno]
print(json.dumps({'vsock': opens(40, 1), 'packet': opens(17, 3), 'raw': opens(2, 3, 1), 'ping': opens(2, 2, 1), 'bluetooth': opens(31, 3),
  'alg': opens(38, 5), 'sctp': opens(2, 1, 132), 'can': opens(29, 3)}))
"""
        said = json.loads(self.succeeds(self.jar.python(code)).out)
        self.assertNotIn("opened", said.values(), said)

    def test_icmp_and_raw_tools_get_nowhere(self):
        code = ("import socket\nfor k in ((socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_INET, socket.SOCK_DGRAM, 1)):\n"
                f"    try: socket.socket(*k).sendto(b'\\x08\\0\\xf7\\xff\\0\\0\\0\\0', ('{DENIED}', 0)); print('sent')\n"
                "    except OSError: print('refused')")
        self.assertEqual(self.succeeds(self.jar.python(code)).out, "refused\nrefused\n")


if __name__ == "__main__":
    main()
