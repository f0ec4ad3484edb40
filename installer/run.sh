#!/usr/bin/env bash
# Belljar from a clone: installs what is missing, builds, and shows what it does: a session that looks around, and its record.
# Usage: installer/run.sh [-- COMMAND…]   with a command, that is run in the sandbox instead (in the current folder)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

here=$PWD
command=()
case "${1:-}" in
'') ;;
--) shift; command=("$@") ;;
*) sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac

install_missing build demo

if [ "$(id -u)" -eq 0 ]; then
    # Root builds and starts nothing here itself: a session is always an ordinary user's.
    copy=$(ordinary_copy)
    as_ordinary "$copy" bash installer/run.sh ${command:+-- "${command[@]}"}
    exit
fi

configure_and_build release -DBELLJAR_BUILD_TESTS=OFF
belljar=$top/build/release/bin/belljar
if [ ${#command[@]} -gt 0 ]; then
    cd "$here"
    exec "$belljar" run -- "${command[@]}"
fi
exec /usr/bin/python3 "$top/resources/demo/show.py" "$belljar"
