"""A day's work, inside ÷ outside: `npm ci` and `git checkout` of 20,000 files, and a C++ build. Both sides take turns on the same
folder, and each time it is made clean before the clock starts."""
import json
import os
import shutil
import subprocess
import tarfile
import time

from .report import median

PACKAGES, FOLDERS = 20, 200
SOURCE = """#include <map>
#include <regex>
#include <string>
#include <vector>
std::map<std::string, std::vector<int>> table{number}(const std::string& text) {{
    std::map<std::string, std::vector<int>> out;
    const std::regex words("[a-z]+{number}");
    for (std::sregex_iterator at(text.begin(), text.end(), words), end; at != end; ++at) out[at->str()].push_back({number});
    return out;
}}
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(folder, *words, environment=None):
    done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words[:4])} …: status {done.returncode}: {done.stderr.strip()[-400:]}")


class GitCheckout:
    name = "git checkout of {files} files"
    program = "git"

    def __init__(self, folder, files):
        self.folder = folder
        git = ["git", "-C", folder, "-c", "user.name=Bench", "-c", "user.email=bench@example.net", "-c", "commit.gpgsign=false"]
        run(folder, "git", "init", "-q", "-b", "empty", folder)
        run(folder, *git, "commit", "-q", "--allow-empty", "-m", "empty")
        run(folder, *git, "checkout", "-q", "-b", "full")
        for number in range(files):
            write(f"{folder}/d{number % FOLDERS}/f{number}.txt", f"file {number}\n" * 20)
        run(folder, *git, "add", ".")
        run(folder, *git, "commit", "-q", "-m", "full")
        self.command = ["git", "checkout", "-q", "full"]

    def clean(self):
        run(self.folder, "git", "checkout", "-q", "empty")


class NpmCi:
    name = "npm ci of {files} files"
    program = "npm"

    def __init__(self, folder, files):
        self.folder, dependencies = folder, {}
        for number in range(PACKAGES):
            package = f"{folder}/made/p{number}"
            write(f"{package}/package.json", json.dumps({"name": f"p{number}", "version": "1.0.0"}))
            for file in range(files // PACKAGES):
                write(f"{package}/lib{file % 10}/f{file}.js", f"module.exports = {file};\n" * 20)
            with tarfile.open(f"{folder}/p{number}.tgz", "w:gz", compresslevel=1) as tar:
                tar.add(package, "package")
            dependencies[f"p{number}"] = f"file:p{number}.tgz"
        shutil.rmtree(f"{folder}/made")
        write(f"{folder}/package.json", json.dumps({"name": "tree", "version": "1.0.0", "dependencies": dependencies}))
        quiet = ["--offline", "--no-audit", "--no-fund", "--loglevel=error", f"--cache={folder}/.cache"]
        run(folder, "npm", "install", "--package-lock-only", *quiet)
        self.command = ["npm", "ci", *quiet]

    def clean(self):
        for name in ("node_modules", ".cache"):
            shutil.rmtree(f"{self.folder}/{name}", ignore_errors=True)


class CxxBuild:
    name = "C++ build of {files} files, make -j2"
    program = "g++"

    def __init__(self, folder, files):
        self.folder = folder
        for number in range(files):
            write(f"{folder}/s{number}.cpp", SOURCE.format(number=number))
        objects = " ".join(f"s{number}.o" for number in range(files))
        write(f"{folder}/Makefile", f"all: {objects}\n%.o: %.cpp\n\tg++ -O1 -c -o $@ $<\n")
        self.command = ["make", "-s", "-j2"]

    def clean(self):
        for name in os.listdir(self.folder):
            if name.endswith(".o"):
                os.unlink(f"{self.folder}/{name}")


def timed(words, folder, environment):
    started = time.monotonic()
    run(folder, *words, environment=environment)
    return time.monotonic() - started


def inside_words(belljar, folder, command):
    words = [belljar.program, "run", "-q", "-C", folder]
    real = os.path.realpath(shutil.which(command[0]))
    if not real.startswith("/usr/"):  # a program of one's own is visible when it is named
        words += ["--read", os.path.dirname(os.path.dirname(real))]
    return [*words, "--", *command]


def measure(belljar, report, short):
    for work, files in ((GitCheckout, 200 if short else 20_000), (NpmCi, 200 if short else 20_000), (CxxBuild, 2 if short else 8)):
        if shutil.which(work.program) is None:
            report.add(work.name.format(files=files), 0, "", note=f"not run: {work.program} is not installed")
            continue
        folder = os.path.join(belljar.folder, work.__name__)
        os.mkdir(folder)
        made, taken = work(folder, files), {"inside": [], "outside": []}
        for _ in range(1 if short else 3):
            for way, words in (("outside", made.command), ("inside", inside_words(belljar, folder, made.command))):
                made.clean()
                taken[way].append(timed(words, folder, belljar.environment))
        shutil.rmtree(folder)
        name = work.name.format(files=files)
        report.add(f"{name}, outside", median(taken["outside"]), "s", samples=taken["outside"])
        report.add(f"{name}, inside", median(taken["inside"]), "s", samples=taken["inside"])
        report.add(f"{name}, inside ÷ outside", median(taken["inside"]) / median(taken["outside"]), "×")
