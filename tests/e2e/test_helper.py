"""The helper builds only what its client may have anyway: a spec with another identity or an open folder is refused."""

import json
import os
import socket

from world import WorldTest, main


class Helper(WorldTest):
    @classmethod
    def setUpClass(cls):
        run = cls.jar.run(["true"])
        with open(cls.jar.folder(run.name) + "/spec.json", encoding="utf-8") as file:
            cls.spec = dict(json.load(file), detached=True)
        cls.number = 0

    def setUp(self):
        Helper.number += 1
        name = f"{Helper.number:012x}"
        self.state, self.runtime = f"{self.world.base}/state/{name}", f"{self.world.base}/run/{name}"
        for folder in (self.state, self.runtime):
            os.mkdir(folder, 0o700)
        self.good = dict(self.spec, id=name, state_folder=self.state, runtime_folder=self.runtime,
                         terminal=dict(self.spec["terminal"], standard_input="null", standard_output="null", standard_error="null"))

    def answer(self, **changes):
        """What the helper says to a Start with this spec."""
        ours, theirs = socket.socketpair()
        ours.settimeout(20)
        program = self.jar.libexec + "/belljar-helper"
        pid = os.posix_spawn(program, [program, "--rootless"], {}, file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)])
        theirs.close()
        ours.sendall(json.dumps({"method": "org.belljar.Helper.Start", "parameters": {"spec": dict(self.good, **changes)}}).encode() + b"\0")
        said = b""
        while not said.endswith(b"\0") and (part := ours.recv(65536)):
            said += part
        ours.close()
        os.waitpid(pid, 0)
        return json.loads(said.rstrip(b"\0"))

    def refused(self, why, **changes):
        said = self.answer(**changes)
        self.assertIn("error", said)
        self.assertIn(why, said["parameters"]["reason"])
        self.assertFalse(os.path.exists(self.state + "/record.db"))

    def test_a_spec_of_the_client_s_own_is_built(self):
        self.assertEqual(self.answer()["parameters"]["id"], self.good["id"])

    def test_another_identity_is_refused(self):
        self.refused("another user", uid=os.getuid() + 1)
        self.refused("another user", gid=os.getgid() + 1)

    def test_what_is_no_session_id_is_refused(self):
        for text in ("", "../0123456789", "0123456789AB"):
            self.refused("hexadecimal digits", id=text)

    def test_a_state_or_runtime_folder_that_lets_others_in_is_refused(self):
        for folder in (self.state, self.runtime):
            os.chmod(folder, 0o755)
            self.refused("others may enter")
            os.chmod(folder, 0o700)

    def test_a_symlink_in_the_place_of_a_folder_is_refused(self):
        for key, folder in (("state_folder", self.state), ("runtime_folder", self.runtime)):
            os.symlink(folder, folder + "-link")
            self.refused("", **{key: folder + "-link"})


if __name__ == "__main__":
    main()
