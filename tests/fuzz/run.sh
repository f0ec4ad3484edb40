#!/bin/sh
# Builds the fuzz targets (preset `fuzz`, clang) and runs each for its share of MINUTES, from its corpus. Ends non-zero at the
# first input that breaks one, and says where that input is kept. Nothing is written into the source tree.
#   tests/fuzz/run.sh [MINUTES]     default 8
set -eu
minutes=${1:-8}
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${BELLJAR_FUZZ_BUILD:-$source/build/fuzz}
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
      -DBELLJAR_FUZZ=ON -DBELLJAR_SANITIZE=address,undefined >/dev/null
cmake --build "$build" --target fuzzers
set -- "$build"/fuzz/fuzz_*
seconds=$((minutes * 60 / $#))
for target; do
    name=$(basename "$target")
    work=$build/fuzz/work/${name#fuzz_}
    mkdir -p "$work"
    echo "$name: $seconds s"
    if ! "$target" -max_total_time="$seconds" -max_len=70000 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
         -artifact_prefix="$work/broken-" "$work" "$source/tests/fuzz/corpus/${name#fuzz_}" >"$work.log" 2>&1; then
        tail -n 40 "$work.log"
        echo "$name: broken; the input is in $work" >&2
        exit 1
    fi
    grep -E 'number_of_executed_units|new_units_added' "$work.log" || true
done
