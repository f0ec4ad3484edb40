"""The workspace: what is written there belongs to the user; what could later run on the host with more rights cannot be left."""

import json
import os
import shutil
import stat

from world import WorldTest, main


class Workspace(WorldTest):
    def path(self, name):
        return os.path.join(self.jar.workspace, name)

    def test_files_written_inside_belong_to_the_user(self):
        self.succeeds(self.jar.run(["sh", "-c", "mkdir -p made/deep && echo text > made/deep/file && ln -s file made/deep/link && id -u > made/uid"]))
        for name in ("made", "made/deep", "made/deep/file", "made/deep/link"):
            status = os.lstat(self.path(name))
            self.assertEqual((status.st_uid, status.st_gid), (os.getuid(), os.getgid()), name)
        with open(self.path("made/deep/file"), encoding="ascii") as file:
            self.assertEqual(file.read(), "text\n")
        with open(self.path("made/uid"), encoding="ascii") as file:
            self.assertEqual(int(file.read()), os.getuid())

    def test_it_is_at_its_own_path_and_the_working_folder(self):
        self.assertEqual(self.succeeds(self.jar.run(["pwd"])).out, self.jar.workspace + "\n")

    def test_one_reached_by_a_symbolic_link_or_with_odd_characters_works(self):
        odd = self.world.base + "/projects/two words, ünï 'quoted'"
        os.mkdir(odd)
        os.symlink(odd, self.world.base + "/projects/link")
        for workspace in (odd, self.world.base + "/projects/link"):
            self.succeeds(self.jar.run(["sh", "-c", "echo here >> file; pwd"], workspace=workspace))
        with open(odd + "/file", encoding="ascii") as file:
            self.assertEqual(file.read(), "here\nhere\n")

    def test_one_below_the_home_folder_or_below_tmp_works_and_shows_nothing_beside_it(self):
        for parent in (self.world.home + "/code", "/tmp/" + os.path.basename(self.world.base)):
            workspace = parent + "/project"
            os.makedirs(workspace)
            self.addCleanup(shutil.rmtree, parent)
            with open(parent + "/beside", "w", encoding="ascii") as file:
                file.write("secret")
            run = self.succeeds(self.jar.run(["sh", "-c", "echo here > file; pwd; ls -A .."], workspace=workspace))
            self.assertEqual(run.out, f"{workspace}\nproject\n")
            with open(workspace + "/file", encoding="ascii") as file:
                self.assertEqual(file.read(), "here\n")
            self.assertEqual(sorted(os.listdir(parent)), ["beside", "project"])

    def test_the_home_the_root_and_belljar_s_own_folders_are_refused_as_one(self):
        for folder in ("/", self.world.home, self.world.base, self.world.base + "/state", "/usr", self.world.base + "/nowhere"):
            run = self.jar.run(["touch", "x"], workspace=folder)
            self.assertEqual(run.status, 125, f"{folder}: {run!r}")
            self.assertEqual(len(run.err.strip().splitlines()), 1, run.err)
            self.assertFalse(os.path.exists(folder + "/x"))

    def test_a_link_out_of_it_leads_nowhere(self):
        target = self.world.base + "/projects/outside"
        with open(target, "w", encoding="ascii") as file:
            file.write("untouched")
        os.symlink(target, self.path("way-out"))
        self.jar.run(["sh", "-c", f"echo gone > way-out; echo gone > {target}; echo gone > ../outside; ln {target} hard"])
        with open(target, encoding="ascii") as file:
            self.assertEqual(file.read(), "untouched")
        self.assertFalse(os.path.exists(self.path("hard")))

    def test_setuid_and_setgid_bits_cannot_be_left_behind_by_any_call(self):
        code = r"""
import ctypes, json, os
l = ctypes.CDLL(None, use_errno=True)
AT = ctypes.c_long(-100)
for n in ('chmod', 'fchmod', 'fchmodat', 'fchmodat2'): open('bits-' + n, 'w').close()
def call(nr, *a):
    return l.syscall(ctypes.c_long(nr), *[ctypes.c_char_p(x) if isinstance(x, bytes) else ctypes.c_long(x) for x in a])
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o6755, 0)
fd = os.open('bits-fchmod', os.O_RDWR)
said = {
 'chmod': call(90, b'bits-chmod', 0o4755), 'fchmod': call(91, fd, 0o2755), 'fchmodat': call(268, -100, b'bits-fchmodat', 0o6755),
 'fchmodat2': call(452, -100, b'bits-fchmodat2', 0o4755, 0), 'creat': call(85, b'bits-creat', 0o4755),
 'open': call(2, b'bits-open', os.O_CREAT | os.O_WRONLY, 0o4755), 'openat': call(257, -100, b'bits-openat', os.O_CREAT | os.O_WRONLY, 0o2755),
 'openat2': l.syscall(ctypes.c_long(437), AT, b'bits-openat2', ctypes.byref(how), ctypes.c_long(24)),
 'mknod': call(133, b'bits-mknod', 0o104755, 0), 'mknodat': call(259, -100, b'bits-mknodat', 0o104755, 0),
 'mkdir': call(83, b'bits-mkdir', 0o2755), 'mkdirat': call(258, -100, b'bits-mkdirat', 0o2755),
 'high bits': call(90, b'bits-chmod', 0x100000000 | 0o4755),
}
print(json.dumps(said))
"""
        said = json.loads(self.succeeds(self.jar.python(code)).out)
        for name, result in said.items():
            self.assertEqual(result if name not in ("open", "openat", "creat", "openat2") else min(result, 0), -1, f"{name}: {said}")
        for folder, folders, files in os.walk(self.jar.workspace):
            for name in folders + files:
                mode = os.lstat(os.path.join(folder, name)).st_mode
                self.assertFalse(mode & (stat.S_ISUID | stat.S_ISGID), name)

    def test_ordinary_modes_can_be_set(self):
        self.succeeds(self.jar.run(["sh", "-c", "touch plain && chmod 755 plain && chmod 1777 . && chmod 700 ."]))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("plain")).st_mode), 0o755)

    def test_file_capabilities_cannot_be_set(self):
        code = ("import os\nopen('capable', 'w').close()\n"
                "try: os.setxattr('capable', 'security.capability', bytes.fromhex('0100000200200000000000000000000000000000')); print('set')\n"
                "except OSError as e: print('refused')")
        self.assertEqual(self.succeeds(self.jar.python(code)).out, "refused\n")

    def test_devices_cannot_be_made(self):
        code = ("import os\ntry: os.mknod('device', 0o20666, os.makedev(1, 5)); open('device').read(1); print('read')\nexcept OSError: print('refused')")
        self.assertEqual(self.succeeds(self.jar.python(code)).out, "refused\n")


if __name__ == "__main__":
    main()
