# shellcheck shell=bash
# What run.sh and test.sh share: packages, and an ordinary user where root runs them. Sourced, not run.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
test_user=${BELLJAR_TEST_USER:-belljar-test}

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
give_up() { printf 'installer: %s\n' "$*" >&2; exit 1; }

# packages_for USE…: the names in packages-debian.txt for these uses.
packages_for() {
    local uses=" $* "
    while read -r use name _; do
        case "$use" in '' | '#'*) continue ;; esac
        case "$uses" in *" $use "*) echo "$name" ;; esac
    done <"$top/installer/packages-debian.txt"
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# install_missing USE…: installs what is missing, by sudo only then and only when one is not root.
install_missing() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || {
        say "This is no Debian: the packages are not installed by this script. README.md (What it needs) has their names on Fedora and Arch."
        return 0
    }
    local missing=() name sudo=()
    for name in $(packages_for "$@"); do installed "$name" || missing+=("$name"); done
    if [ ${#missing[@]} -eq 0 ]; then
        say "All packages are there"
        return 0
    fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || give_up "missing packages, and no sudo to install them: ${missing[*]}"
        sudo=(sudo)
    fi
    say "Installing ${#missing[@]} packages${sudo:+ (with sudo)}: ${missing[*]}"
    local quiet=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive)
    local apt=("${quiet[@]}" apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update >&2 || give_up "apt-get update failed; see above"
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 || give_up "apt-get install failed; see above"
    # The servers are there for the tests alone: nothing of them is to run on this machine by itself.
    local pair
    for pair in nginx-light:nginx openssh-server:ssh tinyproxy:tinyproxy fcgiwrap:fcgiwrap.socket fcgiwrap:fcgiwrap; do
        if [[ " ${missing[*]} " == *" ${pair%:*} "* && -d /run/systemd/system ]]; then
            say "Switching the service '${pair#*:}' off again: only the tests use it"
            "${sudo[@]}" systemctl disable --now "${pair#*:}" >&2 || true
        fi
    done
}

# configure_and_build PRESET [CMAKE-OPTION…]: what the compiler says is shown as it comes.
configure_and_build() {
    local preset=$1 jobs
    shift
    jobs=$(nproc)
    say "Building ($preset, $jobs jobs)"
    (cd "$top" && nice cmake --preset "$preset" "$@" >&2 && nice cmake --build --preset "$preset" -j "$jobs" >&2) ||
        give_up "the build failed; the first error is above"
}

# ordinary_copy: root's tree, as the ordinary user may read it: in that user's home, what git tracks and what it does not ignore.
# Prints the folder. The user is made when missing; the copying is done with the user's own rights.
ordinary_copy() {
    id "$test_user" >/dev/null 2>&1 || {
        say "Making the user '$test_user' for what is not for root"
        useradd --create-home --shell /bin/bash "$test_user" || give_up "useradd $test_user failed"
    }
    [ "$(id -u "$test_user")" -ne 0 ] || give_up "'$test_user' is root"
    local home copy
    home=$(getent passwd "$test_user" | cut -d: -f6)
    copy=$home/belljar
    say "Copying the tree to $copy"
    (
        set -o pipefail
        cd "$top"
        git -c safe.directory="$top" ls-files -z --cached --others --exclude-standard |
            while IFS= read -r -d '' file; do if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi; done |
            tar --create --no-recursion --null --files-from=- --file=- |
            runuser -u "$test_user" -- sh -c 'set -e; mkdir -p "$1"; cd "$1"
                find . -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
                tar --no-same-owner -xf -' copy "$copy"
    ) >&2 || give_up "copying the tree to $copy failed"
    echo "$copy"
}

# as_ordinary FOLDER COMMAND…: as the ordinary user, with a clean environment, in that folder.
as_ordinary() {
    local folder=$1 home
    shift
    home=$(getent passwd "$test_user" | cut -d: -f6)
    (cd / && exec runuser -u "$test_user" -- env -i HOME="$home" USER="$test_user" LOGNAME="$test_user" SHELL=/bin/bash LANG=C.UTF-8 \
        TERM="${TERM:-dumb}" PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin \
        sh -c 'cd "$1" && shift && exec "$@"' as "$folder" "$@")
}
