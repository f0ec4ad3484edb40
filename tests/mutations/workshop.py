"""A copy of the tree that may be spoiled: files are changed in it, it is built, one test of it is run.

The checkout is only read. What is spoiled and not restored (the run was killed) is put right by the next copy.
"""

import filecmp
import json
import os
import re
import shutil
import signal
import subprocess

NOT_COPIED = {".git", "build", "__pycache__"}
# Whatever of these a change reaches is built anew before an end-to-end test; Ninja knows which it is.
PROGRAMS = ["belljar", "belljar-helper", "belljar-init", "belljar-supervisor", "belljar-resolver", "belljar_filters"]
BUILD_SECONDS = 3600

GREEN, RED, ERROR = "green", "red", "error"


class Workshop:
    def __init__(self, source, folder):
        self.source, self.tree, self.build_folder = source, os.path.join(folder, "tree"), os.path.join(folder, "build")
        self.tests = {}

    # The copy ---------------------------------------------------------------------------------------------------------
    def copy(self):
        """Only what differs is written: an unchanged file keeps its time, and is not compiled again."""
        wanted = set()
        for folder, folders, files in os.walk(self.source):
            folders[:] = [name for name in folders if name not in NOT_COPIED]
            inside = os.path.relpath(folder, self.source)
            os.makedirs(os.path.join(self.tree, inside), exist_ok=True)
            for name in set(files) - NOT_COPIED:
                here, there = os.path.join(folder, name), os.path.normpath(os.path.join(self.tree, inside, name))
                wanted.add(there)
                if not os.path.exists(there) or not filecmp.cmp(here, there, shallow=False):
                    shutil.copy(here, there)
        for folder, _, files in os.walk(self.tree):
            for path in (os.path.join(folder, name) for name in files):
                if path not in wanted:
                    os.unlink(path)

    def give_to(self, uid, gid):
        top = os.path.dirname(self.tree)
        os.chown(top, uid, gid)
        for folder, folders, files in os.walk(top):
            for name in folders + files:
                os.chown(os.path.join(folder, name), uid, gid, follow_symlinks=False)

    def read(self, file):
        with open(os.path.join(self.tree, file), encoding="utf-8") as source:
            return source.read()

    def write(self, file, text):
        with open(os.path.join(self.tree, file), "w", encoding="utf-8") as target:
            target.write(text)

    # Building ---------------------------------------------------------------------------------------------------------
    def configure(self):
        """The preset that people develop with; a defence that is out leaves unused things behind, which is no error."""
        done = self.call(["cmake", "--preset", "dev", "-S", self.tree, "-B", self.build_folder, "-DBELLJAR_WERROR=OFF"])
        if done.returncode != 0:
            raise RuntimeError("cmake: " + done.stdout[-2000:])
        self.read_tests()

    def read_tests(self):
        """What CTest knows; it has no command of a program that is not built yet."""
        listed = self.call(["ctest", "--test-dir", self.build_folder, "--show-only=json-v1"])
        self.tests = {test["name"]: test for test in json.loads(listed.stdout)["tests"]}

    def targets(self, test):
        return PROGRAMS if test.startswith("e2e-") else [test]

    def build(self, targets, jobs):
        """What the compiler said when it failed, else nothing."""
        done = self.call(["nice", "cmake", "--build", self.build_folder, "-j", str(jobs), "--target", *targets])
        if done.returncode == 0:
            return ""
        wrong = [line for line in done.stdout.splitlines() if "error:" in line or "undefined reference" in line]
        return (wrong or done.stdout.splitlines()[-1:] or ["no word why"])[0]

    def call(self, words):
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              cwd=self.tree, timeout=BUILD_SECONDS)

    # Testing ----------------------------------------------------------------------------------------------------------
    def command(self, test, function):
        """CTest's own command and settings; it cannot be told to run one function of a test program."""
        known = self.tests[test]
        properties = {item["name"]: item["value"] for item in known.get("properties", [])}
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        environment.update(setting.split("=", 1) for setting in properties.get("ENVIRONMENT", []))
        return (known["command"] + ([function] if function else []), environment,
                properties.get("WORKING_DIRECTORY", self.build_folder), float(properties.get("TIMEOUT", 120)))

    def test(self, test, function):
        """(GREEN, RED or ERROR, what it said): red is a failed assertion of that function, and nothing else."""
        words, environment, folder, seconds = self.command(test, function)
        process = subprocess.Popen(words, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return ERROR, f"not over after {seconds:.0f} s"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return (judge_python if test.startswith("e2e-") else judge_qt)(process.returncode, output, function)


def judge_qt(status, output, function):
    if status == 0 and re.search(r"^Totals: [1-9]\d* passed, 0 failed, 0 skipped", output, re.M):
        return GREEN, ""
    name = function.split(":")[0] if function else r"\w+"
    failed = re.search(rf"^FAIL!  : \w+::({name}\(.*(?:\n   .*)*)", output, re.M)
    if status > 0 and failed:
        return RED, " ".join(failed.group(1).split())
    return ERROR, last_words(status, output)


def judge_python(status, output, function):
    if status == 0 and re.search(r"^Ran [1-9]\d* test", output, re.M) and output.rstrip().endswith("OK"):
        return GREEN, ""
    name = function.split(".")[-1] if function else r"\w+"
    failed = re.search(rf"^FAIL: {name} .*?^(AssertionError.*?)$", output, re.M | re.S)
    if status == 1 and failed:
        return RED, failed.group(1)
    return ERROR, last_words(status, output)


def last_words(status, output):
    how = f"killed by signal {-status}" if status < 0 else f"status {status} without a failed assertion"
    return how + ": " + " | ".join(output.strip().splitlines()[-3:])
