"""docs/compatibility.md says only what a test shows: every program of its tables is named by a test that runs programs."""

import glob
import json
import os
import re
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def rows():
    with open(TOP + "/docs/compatibility.md", encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
            if len(cells) == 4 and cells[0] != "program" and not set(cells[0]) <= {"-", ":"}:
                yield cells


def tests():
    text = ""
    for path in glob.glob(TOP + "/tests/e2e/test_*.py"):
        if path != os.path.abspath(__file__):
            with open(path, encoding="utf-8") as file:
                text += file.read()
    return text


class CompatibilityTable(unittest.TestCase):
    def test_every_row_names_a_program_a_version_and_a_result(self):
        self.assertGreater(len(list(rows())), 20)
        for program, tried, result, needs in rows():
            self.assertRegex(program, "`[^`]+`")
            self.assertTrue(tried and result and needs, program)

    def test_every_program_is_named_by_a_test(self):
        text = tests()
        for program, *_ in rows():
            for words in re.findall("`([^`]+)`", program):
                self.assertRegex(text, r"(?<![\w-])" + re.escape(words.split()[-1]) + r"(?![\w-])", f"no test names {words}")

    def test_versions_of_what_comes_from_npm_are_those_that_are_installed(self):
        with open(TOP + "/tests/npm/package.json", encoding="utf-8") as file:
            listed = json.load(file)["dependencies"]
        for program, tried, *_ in rows():
            name = re.findall("`([^`]+)`", program)[0]
            if name in listed and program == f"`{name}`":
                self.assertTrue(listed[name].startswith(tried), f"{name}: {tried} in the table, {listed[name]} installed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
