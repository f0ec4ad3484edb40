"""The address that was judged is the address that is connected: 20,000 times, while another thread changes it.

`continue` would let the kernel read the address a second time; here nobody but the allowed server may see anything.
"""

import json
import socket
import threading

from world import WorldTest, main
from world.servers import Witness

TRIES = 20000
ALLOWED, PORT, OTHER, OTHER_PORT = "198.51.100.30", 9000, "203.0.113.30", 9001


class Races(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.flip = cls.world.compile("flip.c", "-pthread")
        cls.allowed = Witness([ALLOWED], [PORT], quiet=True)
        cls.other = Witness([OTHER, ALLOWED], [OTHER_PORT])
        cls.beside = Witness([OTHER], [PORT])
        cls.path = cls.jar.workspace + "/host.sock"
        cls.host_socket = socket.socket(socket.AF_UNIX)
        cls.host_socket.bind(cls.path)
        cls.host_socket.listen(4096)
        cls.visitors = []
        threading.Thread(target=cls.count_visitors, daemon=True).start()

    @classmethod
    def count_visitors(cls):
        while True:
            cls.visitors.append(cls.host_socket.accept()[0])

    def race(self, mode, other, other_port):
        reached = self.allowed.accepted
        run = self.succeeds(self.jar.run([self.flip, mode, str(TRIES), ALLOWED, str(PORT), other, str(other_port), self.path],
                                         allow=[f"{ALLOWED}:{PORT}"], timeout=200))
        said = json.loads(run.out)
        self.assertEqual(said["strange"], 0, said)
        self.assertEqual(self.other.seen, [])
        self.assertEqual(self.beside.seen, [])
        self.assertEqual(self.visitors, [])
        allows = self.jar.events(run.name, "egress", verdict="allowed")
        self.assertEqual({(e["ip"], e["port"]) for e in allows}, {(ALLOWED, PORT)})
        self.assertEqual(len(allows), said["successes"], said)
        self.assertEqual(self.allowed.accepted - reached, said["successes"], said)
        self.assertGreater(said["successes"], TRIES // 100, f"the race did not take place: {said}")
        self.assertGreater(said["errors"].get("EACCES", 0), TRIES // 100, f"the race did not take place: {said}")
        return run, said

    def test_flipping_the_address_reaches_nobody_else(self):
        run, said = self.race("address", OTHER, PORT)
        denied = sum(e.get("count", 1) for e in self.jar.denials(run.name))
        self.assertEqual(denied, said["errors"]["EACCES"], said)

    def test_flipping_the_port_reaches_nobody_else(self):
        self.race("port", ALLOWED, OTHER_PORT)

    def test_flipping_the_family_reaches_no_socket_of_the_host(self):
        self.race("family", ALLOWED, PORT)


if __name__ == "__main__":
    main()
