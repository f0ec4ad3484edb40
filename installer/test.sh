#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test that this machine can run. Prints what failed; its last line is
# "N passed, N failed, N skipped", summed over all runs; it ends with 0 only when nothing failed.
# Usage: installer/test.sh        as an ordinary user, or as root: then everything runs as an ordinary user, and once more
#                                 as root what is meant for root.
set -euo pipefail
# shellcheck source=installer/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

results=${BELLJAR_RESULTS:-$(mktemp -d "${TMPDIR:-/tmp}/belljar-results.XXXXXX")}
not_run=()

# run_tests WHAT CTEST-ARGUMENT…: one run of CTest; its counts are kept for the last line.
run_tests() {
    local what=$1 report
    shift
    report=$results/$(ls "$results" | wc -l)-$(id -un).xml
    say "Tests: $what"
    ctest --test-dir "$top/build/dev" --no-tests=error --output-on-failure --output-junit "$report" "$@" || true
    [ -s "$report" ] || printf '<testsuite tests="1" failures="1" skipped="0"><testcase name="%s: no report" status="fail"/></testsuite>\n' "$what" >"$report"
}

has_label() { ctest --test-dir "$top/build/dev" -N -L "^$1\$" 2>/dev/null | grep -q '^Total Tests: [1-9]'; }

# The sums over all reports, and the names of what failed.
finish() {
    /usr/bin/python3 - "$results" <<'P'
import glob, sys, xml.etree.ElementTree as tree
passed = failed = skipped = 0
for path in sorted(glob.glob(sys.argv[1] + "/*.xml")):
    user = path.rsplit("-", 1)[1][:-4]
    for case in tree.parse(path).getroot().iter("testcase"):
        status = case.get("status")
        if case.find("skipped") is not None or status in ("notrun", "disabled"):
            skipped += 1
            print(f"skipped: {case.get('name')} (as {user})")
        elif status == "run":
            passed += 1
        else:
            failed += 1
            print(f"FAILED: {case.get('name')} (as {user})")
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not passed else 0)
P
}

as_user() {
    bash "$top/installer/npm-tools.sh" || say "Programs from npm are missing, see above: the tests that run them will fail"
    configure_and_build dev
    run_tests "unit, as $(id -un)" -L '^unit$' -j "$(nproc)"
    run_tests "end to end, as $(id -un)" -L '^e2e$'
    if has_label bench; then BELLJAR_BENCH_SHORT=1 run_tests "benchmarks, short" -L '^bench$'; fi
}

uses=(build demo test bench)
command -v npm >/dev/null || uses+=(npm)
install_missing "${uses[@]}"

if [ "$(id -u)" -eq 0 ]; then
    copy=$(ordinary_copy)
    chown "$test_user" "$results"
    as_ordinary "$copy" env BELLJAR_RESULTS="$results" BELLJAR_PART=user bash installer/test.sh ||
        give_up "the run as '$test_user' did not come to its end: see above"
    top=$copy
    run_tests "unit, as root" -L '^unit$' -j "$(nproc)"
    run_tests "for root alone" -L '^root$'
    chown -hR "$test_user:" "$top/build/dev/Testing"
else
    as_user
    [ "${BELLJAR_PART:-}" = user ] && exit 0
    has_label root && not_run+=("the tests with the label 'root': one has to be root (sudo installer/test.sh runs them too)")
fi
has_label vm && not_run+=("the tests with the label 'vm': they are started by themselves (ctest --test-dir build/dev -L vm)")
for line in "${not_run[@]}"; do echo "not run: $line"; done
finish
