"""The record: private, complete, verifiable; what is edited is found and named."""

import hashlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess

from world import WorldTest, main
from world.servers import DENIED


class Record(WorldTest):
    @classmethod
    def setUpClass(cls):
        code = ("import ctypes, socket\nfor i in range(5): ctypes.CDLL(None).syscall(ctypes.c_long(321), ctypes.c_long(i), None, ctypes.c_long(0))\n"
                f"socket.socket().connect_ex(('{DENIED}', 443))")
        cls.run_ = cls.jar.python(code, name="the-record")
        cls.events = cls.jar.events("the-record")
        cls.folder = cls.jar.folder("the-record")
        cls.count = 0

    def setUp(self):
        self.succeeds(self.run_)

    def verify(self, session="the-record"):
        return self.jar.call("audit", "verify", session)

    def edited(self, *statements, edit=None):
        """The verdict on a copy of the session's folder in which the record was changed; the original is put back."""
        path, kept = self.folder + "/record.db", self.world.base + "/kept.db"
        shutil.copy(path, kept)
        try:
            if edit:
                edit(path)
            else:
                database = sqlite3.connect(path, uri=True)
                for statement in statements:
                    changed = database.execute(statement).rowcount
                    self.assertNotEqual(changed, 0, f"nothing was changed by: {statement}")
                database.commit()
                database.close()
            return self.verify()
        finally:
            shutil.copy(kept, path)
            for suffix in ("-wal", "-shm"):
                if os.path.exists(path + suffix):
                    os.unlink(path + suffix)

    def test_of_a_finished_session_is_sealed_and_whole(self):
        verified = self.verify()
        self.assertEqual(verified.status, 0, repr(verified))
        self.assertEqual(self.events[0]["kind"], "session-started")
        self.assertEqual(self.events[-1]["kind"], "session-ended")
        self.assertEqual([e["seq"] for e in self.events], list(range(1, len(self.events) + 1)))
        started = self.events[0]
        self.assertEqual(started["name"], "the-record")
        self.assertEqual(started["workspace"], self.jar.workspace)
        self.assertEqual(started["argv"][:2], ["/usr/bin/python3", "-c"])
        self.assertRegex(started["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertEqual(self.events[-1]["status"], 0)

    def test_is_private_to_the_user(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.folder).st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(os.stat(self.world.base + "/state/sessions").st_mode) & 0o077, 0)

    def test_a_change_of_one_letter_in_any_event_is_found_and_its_place_named(self):
        for seq in range(1, len(self.events) + 1):
            verified = self.edited(f"update event set bytes = replace(bytes, '\"kind\"', '\"kinb\"') where seq = {seq}")
            self.assertEqual(verified.status, 1, repr(verified))
            self.assertIn(f"event {seq}", verified.out + verified.err)

    def test_an_event_taken_out_of_the_middle_is_found(self):
        verified = self.edited("delete from event where seq = 3")
        self.assertEqual(verified.status, 1, repr(verified))
        self.assertRegex(verified.out + verified.err, r"event [34]")

    def test_two_events_that_changed_places_are_found(self):
        verified = self.edited("update event set seq = 1000 where seq = 2", "update event set seq = 2 where seq = 3",
                               "update event set seq = 3 where seq = 1000")
        self.assertEqual(verified.status, 1, repr(verified))
        self.assertIn("event 2", verified.out + verified.err)

    def test_a_tail_cut_off_is_found(self):
        verified = self.edited(f"delete from event where seq >= {len(self.events) - 1}")
        self.assertEqual(verified.status, 1, repr(verified))

    def test_a_tail_cut_off_together_with_the_seal_does_not_pass_as_sealed(self):
        verified = self.edited(f"delete from event where seq >= {len(self.events) - 1}", "delete from seal")
        self.assertEqual(verified.status, 2, repr(verified))  # what an unanchored record can say (docs/record.md)

    def test_an_event_of_another_session_among_them_is_found(self):
        self.succeeds(self.jar.run(["true"], name="donor"))
        donor = self.jar.folder("donor") + "/record.db"
        verified = self.edited(f"attach 'file:{donor}?mode=ro' as donor", "update event set (bytes, hash) = (select bytes, hash from donor.event "
                               "where seq = 2) where seq = 2")
        self.assertEqual(verified.status, 1, repr(verified))
        self.assertIn("event 2", verified.out + verified.err)

    def test_an_event_that_was_added_or_doubled_is_found(self):
        last = len(self.events)
        verified = self.edited(f"insert into event (seq, bytes, hash) select {last + 1}, bytes, hash from event where seq = {last}")
        self.assertEqual(verified.status, 1, repr(verified))

    def test_a_record_rewritten_whole_and_signed_with_another_key_is_found_by_the_index(self):
        verified = self.edited(edit=self.forge)
        self.assertEqual(verified.status, 1, repr(verified))
        self.assertIn("key", verified.out + verified.err)

    def forge(self, path):
        """Rewrites an event and everything that depends on it, as docs/record.md describes the chain, with a key of our own."""
        key, message, signature = (self.world.base + "/" + name for name in ("forger.pem", "message", "signature"))
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
        public = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout[-32:]
        number = lambda value: value.to_bytes(8, "big")
        text = lambda value: number(len(value)) + value
        session = self.jar.id_of("the-record").encode()
        database = sqlite3.connect(path)
        head = bytes(32)
        rows = database.execute("select seq, bytes from event order by seq").fetchall()
        for seq, content in rows:
            content = content.replace(self.public_key(), public.hex()).replace(DENIED, "203.0.113.99")
            head = hashlib.sha256(text(b"belljar event 1") + text(session) + number(seq) + head + text(content.encode())).digest()
            database.execute("update event set bytes = ?, hash = ? where seq = ?", (content, head, seq))
        with open(message, "wb") as file:
            file.write(text(b"belljar seal 1") + text(session) + number(len(rows)) + head)
        subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", message, "-out", signature], check=True)
        with open(signature, "rb") as file:
            database.execute("update seal set hash = ?, signature = ?", (head, file.read()))
        database.commit()
        database.close()
        copy = self.world.base + "/forged/record.db"
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(path, copy)
        self.assertEqual(self.verify(copy).status, 0, "the forgery itself is well made: alone it verifies")

    def public_key(self):
        return next(row["public_key"] for row in self.jar.sessions() if row["name"] == "the-record")

    def test_a_record_of_another_session_in_its_place_is_found(self):
        self.succeeds(self.jar.run(["true"], name="another"))
        other = self.jar.folder("another") + "/record.db"
        verified = self.edited(edit=lambda path: shutil.copy(other, path))
        self.assertEqual(verified.status, 1, repr(verified))

    def test_a_damaged_or_missing_file_is_said_to_be_unreadable(self):
        def scribble(path):
            with open(path, "r+b") as file:
                file.write(b"no database at all, this is")
        self.assertEqual(self.edited(edit=scribble).status, 3)
        self.assertEqual(self.edited(edit=os.unlink).status, 3)

    def test_a_bit_flipped_anywhere_in_the_file_never_passes_as_another_content(self):
        """Each flip is found, or the events that are read are the same to the byte."""
        original = self.jar.call("audit", "show", "the-record", "--json").out
        size = os.path.getsize(self.folder + "/record.db")
        for place in range(100, size, max(size // 40, 1)):
            def flip(path):
                with open(path, "r+b") as file:
                    file.seek(place)
                    byte = file.read(1)[0]
                    file.seek(place)
                    file.write(bytes([byte ^ 0x10]))
                flip.shown = self.jar.call("audit", "show", "the-record", "--json")
            verified = self.edited(edit=flip)
            self.assertIn(verified.status, (0, 1, 3), repr(verified))
            if verified.status == 0:
                self.assertEqual(flip.shown.out, original, f"bit flipped at {place}")

    def test_exports_are_json_lines_and_csv_with_every_event(self):
        lines = self.succeeds(self.jar.call("audit", "export", "the-record", "--format", "jsonl")).out.splitlines()
        self.assertEqual(len([json.loads(line) for line in lines]), len(self.events))
        table = self.succeeds(self.jar.call("audit", "export", "the-record", "--format", "csv")).out.splitlines()
        self.assertEqual(len(table), len(self.events) + 1)

    def test_control_characters_in_arguments_do_not_reach_the_reader_s_terminal(self):
        run = self.succeeds(self.jar.run(["sh", "-c", "exit 0", "\x1b]0;title\x07\x1b[31mred\n{\"kind\":\"forged\"}"]))
        shown = self.succeeds(self.jar.call("audit", "show", run.name))
        self.assertNotIn("\x1b", shown.out)
        self.assertFalse(any(e["kind"] == "forged" for e in self.jar.events(run.name)))

    def test_sessions_are_found_by_name_and_by_the_beginning_of_their_id(self):
        number = self.jar.id_of("the-record")
        for reference in (number, number[:8], "the-record"):
            self.assertEqual(self.jar.events(reference), self.events)
        self.assertNotEqual(self.jar.call("audit", "show", "no-such-session").status, 0)

    def test_a_lost_index_is_made_again_from_the_records(self):
        number = self.jar.id_of("the-record")
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(self.world.base + "/state/index.db" + suffix):
                os.unlink(self.world.base + "/state/index.db" + suffix)
        self.assertIn(number, [row["id"] for row in self.jar.sessions()])

    def test_rm_takes_a_session_away_for_good(self):
        run = self.succeeds(self.jar.run(["true"]))
        folder = self.jar.folder(run.name)
        self.succeeds(self.jar.call("rm", "--force", run.name))
        self.assertFalse(os.path.exists(folder))
        self.assertNotIn(run.name, [row["name"] for row in self.jar.sessions()])


if __name__ == "__main__":
    main()
