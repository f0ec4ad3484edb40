#!/usr/bin/env bash
# Measures the trusted computing base: for each program, how many lines of this project it is made of and what it links.
# A line counts when it is neither blank nor only a comment; a header counts once for each program that includes it.
# Usage: installer/tcb.sh [BUILD]        BUILD: a folder configured with Ninja and built (default: build/release)
set -euo pipefail
# shellcheck source=installer/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:-$top/build/release}" && pwd) || give_up "there is no such build folder"

exec /usr/bin/python3 - "$top" "$build" <<'P'
import os, re, subprocess, sys
top, build = (os.path.realpath(p) for p in sys.argv[1:])

def ninja(*words):
    return subprocess.run(["ninja", "-C", build, "--quiet", *words], check=True, capture_output=True, text=True).stdout.splitlines()

def code_lines(path):
    text = open(path, encoding="utf-8", errors="replace").read()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return sum(1 for line in text.splitlines() if line.strip() and not line.lstrip().startswith("//"))

headers, target = {}, None   # object file → the files its compilation read
for line in ninja("-t", "deps"):
    if line.endswith(")") and ": #deps" in line:
        target = line.split(": #deps")[0]
        headers[target] = []
    elif line.startswith("    ") and target:
        headers[target].append(os.path.realpath(os.path.join(build, line.strip())))

programs = {"belljar-helper": "builds sessions; the only one that may hold privilege",
            "belljar-init": "pid 1 inside", "belljar-filter": "makes the filter program", "belljar-supervisor": "judges, connects, records; reads hostile bytes",
            "belljar-resolver": "asks the host's resolver", "belljar": "the command line"}
print(f"{'program':<20} {'lines':>6}  {'files':>5}  {'size':>9}  libraries")
HEADER_ONLY = {"/usr/include/boost/asio/": "Boost.Asio", "/usr/include/nlohmann/": "nlohmann-json", "/usr/include/fmt/": "fmt",
               "/usr/include/toml++/": "toml++", "/usr/include/CLI/": "CLI11", "/usr/include/tl/": "tl-expected"}
everything = set()
for name, what in programs.items():
    path = next((p for p in (f"libexec/belljar/{name}", f"bin/{name}") if os.path.exists(os.path.join(build, p))), None)
    if path is None:
        continue
    inputs = ninja("-t", "inputs", path)
    sources = {os.path.realpath(os.path.join(build, f)) for f in inputs if f.endswith((".cpp", ".c"))}
    for f in inputs:
        if f.endswith(".o"):
            sources.update(h for h in headers.get(f, []))
    own = {s for s in sources if s.startswith(top + os.sep) and not s.startswith(build + os.sep) and os.path.isfile(s)}
    everything |= own
    dynamic = subprocess.run(["ldd", os.path.join(build, path)], capture_output=True, text=True)
    if dynamic.returncode == 0 and "statically" not in dynamic.stdout:
        libraries = re.findall(r"^\s+(lib[\w+-]+)\.so", dynamic.stdout, flags=re.M)
    else:
        archives = [re.sub(r"^lib|\.a$", "", os.path.basename(f)) for f in inputs if f.endswith(".a") and os.path.isabs(f) and not f.startswith(build)]
        command = " ".join(ninja("-t", "commands", "-s", path))
        archives += re.findall(r"(?:^|\s)-l:?(?:lib)?([\w+-]+?)(?:\.a)?(?=\s|$)", command)
        archives += [re.sub(r"^lib|\.a$", "", os.path.basename(f)) for f in re.findall(r"\s(/\S+\.a)\b", command)]
        libraries = ["static: libc, libstdc++"] + sorted(set(archives))
    libraries += sorted(name for prefix, name in HEADER_ONLY.items() if any(s.startswith(prefix) for s in sources))
    size = os.path.getsize(os.path.join(build, path))
    print(f"{name:<20} {sum(map(code_lines, own)):>6}  {len(own):>5}  {size // 1024:>6} KiB  {', '.join(libraries)}")
    print(f"{'':<20} {what}")
print(f"{'together':<20} {sum(map(code_lines, everything)):>6}  {len(everything):>5}")
P
