"""How a test program gets into its world, and why the world is real.

The tests must see what a server, a resolver and the host's file system see, and must run as an ordinary user on a
machine that has no network. So the program re-executes itself in namespaces of its own: inside them the documentation
networks are local addresses, /etc/hosts, resolv.conf, nsswitch.conf and passwd are the test's, and ports below 1024
are free for all. The capabilities of user_namespaces(7) are kept only until that is set up; what follows, servers and
Belljar alike, is an ordinary user with none.

    the program ── as root: becomes the test user ── unshare ── pid 1 of the world ── the tests
"""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

RESOLVER = "192.0.2.53"
ADDRESSES = ["192.0.2.1/24", "198.51.100.1/24", "203.0.113.1/24", "10.1.2.3/32", "172.16.9.9/32", "192.168.7.7/32",
             "100.64.0.5/32", "169.254.169.254/32", "2001:db8::1/128", "fd00:1::1/128"]
LOCAL_ROUTES = ["10.9.0.0/16", "2001:db8::/32", "64:ff9b::/96", "2002::/16"]

MS_BIND, MS_NOSUID, MS_NODEV = 4096, 2, 4
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, PR_SET_DUMPABLE = 47, 4, 4

libc = ctypes.CDLL(None, use_errno=True)


def fail(sentence):
    sys.exit("the test world cannot be made: " + sentence)


def checked(result, what):
    if result < 0:
        code = ctypes.get_errno()
        fail(f"{what}: {os.strerror(code)}")


def bind(source, target):
    checked(libc.mount(os.fsencode(source), os.fsencode(target), None, MS_BIND, None), f"bind {target}")


def ordinary_user():
    return os.environ.get("BELLJAR_TEST_USER", "belljar-test")


def become_ordinary():
    """Root gives up everything for the test user; an ordinary user stays who they are."""
    if os.getuid() != 0:
        return
    try:
        account = pwd.getpwnam(ordinary_user())
    except KeyError:
        fail(f"there is no user '{ordinary_user()}' to run the tests as (useradd --create-home {ordinary_user()})")
    os.initgroups(account.pw_name, account.pw_gid)
    os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
    os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    os.environ.update(HOME=account.pw_dir, USER=account.pw_name, LOGNAME=account.pw_name)
    for path in (os.path.abspath(sys.argv[0]), os.environ.get("BELLJAR_PREFIX", "/")):
        if not os.access(path, os.R_OK):
            fail(f"user '{account.pw_name}' may not read {path}")


def outside():
    """The part before the namespaces: starts the world, waits for it, and takes its folder away."""
    become_ordinary()
    base = tempfile.mkdtemp(prefix="bj-", dir=os.environ.get("BELLJAR_E2E_FOLDER", "/var/tmp"))
    alive, hold = os.pipe()
    os.set_inheritable(alive, True)
    environment = dict(os.environ, BELLJAR_E2E_INSIDE=base, BELLJAR_E2E_ALIVE=str(alive), PYTHONDONTWRITEBYTECODE="1")
    command = ["unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--ipc", "--mount", "--pid", "--fork",
               "--kill-child", "--mount-proc", sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]]
    try:
        child = subprocess.Popen(command, env=environment, pass_fds=[alive])
        os.close(alive)
        status = child.wait()
    finally:
        os.close(hold)
        if os.environ.get("BELLJAR_E2E_KEEP"):
            print(f"kept: {base}", file=sys.stderr)
        else:
            make_writable_and_remove(base)
    sys.exit(status if status >= 0 else 128 - status)


def make_writable_and_remove(base):
    for folder, _, _ in os.walk(base):
        if not os.path.islink(folder):
            os.chmod(folder, 0o700)
    shutil.rmtree(base, ignore_errors=True)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def set_up_network():
    for arguments in [["link", "set", "lo", "up"]] + [["addr", "add", address, "dev", "lo"] for address in ADDRESSES] + \
                     [["-6" if ":" in route else "-4", "route", "add", "local", route, "dev", "lo"] for route in LOCAL_ROUTES]:
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0")
    write("/proc/sys/net/ipv6/ip_nonlocal_bind", "1")  # a local route alone does not let bind(2) name an IPv6 address


def set_up_etc(base):
    etc, home = base + "/etc", base + "/home"
    for folder in (etc, home, base + "/run", base + "/state", base + "/config", base + "/projects"):
        os.mkdir(folder, 0o700)
    user = "tess"
    write(etc + "/hosts", "127.0.0.1 localhost\n::1 localhost\n198.51.100.10 in-hosts-file.example\n")
    write(etc + "/resolv.conf", f"nameserver {RESOLVER}\noptions timeout:2 attempts:2\n")
    write(etc + "/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\n")
    write(etc + "/passwd", f"root:x:0:0:root:/root:/bin/bash\n{user}:x:{os.getuid()}:{os.getgid()}:Tess:{home}:/bin/bash\n"
                           "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n")
    write(etc + "/group", f"root:x:0:\n{user}:x:{os.getgid()}:\nnogroup:x:65534:\n")
    for name in ("hosts", "resolv.conf", "nsswitch.conf", "passwd", "group"):
        if not os.path.exists("/etc/" + name):
            fail(f"/etc/{name} is missing; an empty file is enough")
        bind(etc + "/" + name, os.path.realpath("/etc/" + name))
    if os.path.isdir("/run/nscd"):
        checked(libc.mount(b"none", b"/run/nscd", b"tmpfs", MS_NOSUID | MS_NODEV, None), "hide /run/nscd")
    clean_environment(user, home, base)


def clean_environment(user, home, base):
    kept = {name: value for name, value in os.environ.items() if name.startswith("BELLJAR_")}
    os.environ.clear()
    os.environ.update(kept)
    os.environ.update(USER=user, LOGNAME=user, HOME=home, SHELL="/bin/bash", TERM="xterm-256color", LANG="C.UTF-8",
                      PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", XDG_RUNTIME_DIR=base + "/run",
                      BELLJAR_STATE_DIR=base + "/state", BELLJAR_CONFIG_DIR=base + "/config",
                      PYTHONDONTWRITEBYTECODE="1")


def drop_capabilities():
    checked(libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "drop ambient capabilities")
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this thread
    checked(libc.capset(header, (ctypes.c_uint32 * 6)()), "drop capabilities")
    checked(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "become readable again")
    with open("/proc/self/status", encoding="ascii") as status:
        held = [line for line in status if line.startswith(("CapEff", "CapPrm", "CapInh", "CapAmb")) and int(line.split()[1], 16)]
    if held:
        fail("capabilities are left: " + "".join(held))


def die_with_the_outside(descriptor):
    def watch():
        os.read(descriptor, 1)
        os._exit(124)
    threading.Thread(target=watch, daemon=True).start()


def reap_until(child):
    """Pid 1 of the world: collects orphans and leaves with the status of the tests."""
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def enter():
    """Returns the world's folder in a process that runs inside the world; does not return outside of it."""
    base = os.environ.pop("BELLJAR_E2E_INSIDE", None)
    if base is None:
        outside()
    alive = int(os.environ.pop("BELLJAR_E2E_ALIVE"))
    os.set_inheritable(alive, False)
    set_up_network()
    set_up_etc(base)
    drop_capabilities()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child != 0:
        die_with_the_outside(alive)
        reap_until(child)
    os.close(alive)
    os.chdir(base + "/projects")
    return base
