"""The record: private, complete, verifiable; what is edited is found and named."""

import json
import os
import shutil
import sqlite3
import stat

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
                database = sqlite3.connect(path)
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

    def columns(self):
        database = sqlite3.connect(f"file:{self.folder}/record.db?mode=ro", uri=True)
        names = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
        table = next(n for n in names if n.startswith("event"))
        columns = {row[1]: row[2] for row in database.execute(f"pragma table_xinfo({table})")}
        database.close()
        self.assertIn("seq", columns)
        payload = next(c for c in ("bytes", "event", "json", "body", "data") if c in columns)
        return table, payload

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
        table, payload = self.columns()
        for seq in range(1, len(self.events) + 1):
            verified = self.edited(f"update {table} set {payload} = replace({payload}, '\"kind\"', '\"kinb\"') where seq = {seq}")
            self.assertEqual(verified.status, 1, repr(verified))
            self.assertIn(f"event {seq}", verified.out + verified.err)

    def test_an_event_taken_out_of_the_middle_is_found(self):
        table, _ = self.columns()
        verified = self.edited(f"delete from {table} where seq = 3")
        self.assertEqual(verified.status, 1, repr(verified))
        self.assertRegex(verified.out + verified.err, r"event [34]")

    def test_two_events_that_changed_places_are_found(self):
        table, _ = self.columns()
        verified = self.edited(f"update {table} set seq = 1000 where seq = 2", f"update {table} set seq = 2 where seq = 3",
                               f"update {table} set seq = 3 where seq = 1000")
        self.assertEqual(verified.status, 1, repr(verified))
        self.assertIn("event 2", verified.out + verified.err)

    def test_a_tail_cut_off_is_found(self):
        table, _ = self.columns()
        verified = self.edited(f"delete from {table} where seq >= {len(self.events) - 1}")
        self.assertEqual(verified.status, 1, repr(verified))

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
        self.succeeds(self.jar.call("rm", run.name))
        self.assertFalse(os.path.exists(folder))
        self.assertNotIn(run.name, [row["name"] for row in self.jar.sessions()])


if __name__ == "__main__":
    main()
