#!/usr/bin/env bash
# Installs the programs of tests/npm/package.json, which come from npm and not from the distribution, into build/npm: package
# managers and agents, for the end-to-end tests. It needs an `npm` of any origin and the registry that this npm is set up for;
# nothing is installed when the list has not changed since the last time.
# Usage: installer/npm-tools.sh [FOLDER]        as an ordinary user; FOLDER instead of build/npm
set -euo pipefail
# shellcheck source=installer/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

list=$top/tests/npm/package.json
folder=${1:-$top/build/npm}

[ "$(id -u)" -ne 0 ] || give_up "npm-tools.sh is for an ordinary user: what packages bring along is not run as root"
command -v npm >/dev/null || give_up "there is no npm (apt-get install npm)"
if cmp -s "$list" "$folder/installed.json"; then
    say "The programs from npm are there"
    exit 0
fi

say "Installing the programs of tests/npm/package.json into $folder"
mkdir -p "$folder"
rm -f "$folder/installed.json"
cp "$list" "$folder/package.json"
cd "$folder"
quiet=(--no-audit --no-fund --no-update-notifier --loglevel=error)
npm install --no-package-lock --ignore-scripts "${quiet[@]}" >&2 || give_up "npm install failed; see above"
mapfile -t scripts < <(node -p 'require("./package.json").runScripts.join("\n")' | grep .)
if [ ${#scripts[@]} -gt 0 ]; then
    npm rebuild --foreground-scripts "${quiet[@]}" "${scripts[@]}" >&2 || give_up "the install scripts of ${scripts[*]} failed; see above"
fi
cp "$list" "$folder/installed.json"
