#!/usr/bin/env bash
# Belljar from a clone: installs what is missing, builds, and shows what it does: a session that looks around, and its record.
# Usage: installer/run.sh
set -euo pipefail
# shellcheck source=installer/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install_missing build demo

if [ "$(id -u)" -eq 0 ]; then
    # Root builds and starts nothing here itself: a session is always an ordinary user's.
    copy=$(ordinary_copy)
    as_ordinary "$copy" bash installer/run.sh
    exit
fi

configure_and_build release -DBELLJAR_BUILD_TESTS=OFF
exec /usr/bin/python3 "$top/resources/demo/show.py" "$top/build/release/bin/belljar"
