# Runs inside a session whose policy has workspace.nested: makes namespaces of its own, in which it is root with every
# capability, and then does what a hostile program would. What came of each try is printed as JSON: "ok" or an errno's name.
import ctypes
import errno
import json
import os
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
USER, MOUNT, PID, NET = 0x10000000, 0x20000, 0x20000000, 0x40000000
BIND, REC, REMOUNT, READ_ONLY, PRIVATE, MOVE = 4096, 16384, 32, 1, 1 << 18, 8192
result = {}


def answer(value):
    return "ok" if value >= 0 else errno.errorcode[ctypes.get_errno()]


def tried(name, value):
    result[name] = answer(value)
    return value >= 0


def call(name, number, *arguments):
    return tried(name, libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)))


def os_call(name, function, *arguments):
    try:
        result[name] = function(*arguments) or "ok"
    except OSError as error:
        result[name] = errno.errorcode[error.errno]
    except ValueError:  # of setrlimit
        result[name] = "EPERM"


def mount(name, source, target, kind=None, flags=0, options=None):
    as_bytes = [None if text is None else text.encode() for text in (source, target, kind, options)]
    return tried(name, libc.mount(as_bytes[0], as_bytes[1], as_bytes[2], ctypes.c_ulong(flags), as_bytes[3]))


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(4000)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def become_root_of_new(namespaces):
    """In a child process, so that a pid namespace takes hold; the parent passes the child's end on."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(ctypes.c_int(USER | namespaces)) != 0:
        sys.exit("unshare: " + os.strerror(ctypes.get_errno()))
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"0 {uid} 1\n")
    write("/proc/self/gid_map", f"0 {gid} 1\n")
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def mounts():
    """What the mounts of the session hold: read-only stays, masks stay, a fresh /proc is not to be had."""
    become_root_of_new(MOUNT | PID)
    workspace = os.getcwd()
    mount("private", "none", "/", None, REC | PRIVATE)
    mount("remount /usr writable", None, "/usr", None, REMOUNT | BIND)
    mount("bind /usr elsewhere", "/usr", "/tmp", None, BIND | REC)
    mount("remount that writable", None, "/tmp", None, REMOUNT | BIND)
    os_call("write there", write, "/tmp/own", "x")
    tried("leave it again", libc.umount2(b"/tmp", 2))
    for way, flags in (("umount the mask", 0), ("umount the mask lazily", 2)):
        tried(way, libc.umount2(b"secret", flags))
    mount("move the mask away", "secret", "/tmp", None, MOVE)
    for folder in ("bound", "upper", "work", "merged", "fresh"):
        os.makedirs("/tmp/" + folder, exist_ok=True)
    mount("bind the workspace without what lies over it", workspace, "/tmp/bound", None, BIND)
    if mount("bind it with all", workspace, "/tmp/bound", None, BIND | REC):
        tried("umount the mask in the copy", libc.umount2(b"/tmp/bound/secret", 2))
    mount("overlay on the workspace", "none", "/tmp/merged", "overlay", 0, f"lowerdir={workspace},upperdir=/tmp/upper,workdir=/tmp/work")
    tried("umount the mask of /proc/keys", libc.umount2(b"/proc/keys", 2))
    mount("a fresh /proc", "proc", "/tmp/fresh", "proc")
    mount("a fresh /sys", "sysfs", "/tmp/fresh", "sysfs")
    mount("more room in the scratch space", "none", "/dev/shm", None, REMOUNT, "size=64g")
    seen = []
    for folder, names, files in os.walk("/tmp"):
        seen += [folder + "/" + name for name in files if name == "key" and "the secret" in read(folder + "/" + name)]
    result["secrets seen"] = seen + [p for p in (workspace + "/secret/key",) if os.path.exists(p)]
    result["keys"] = read("/proc/keys")


def network(allowed, denied):
    """A network namespace of its own has no way out, nor to the session's."""
    session = os.open("/proc/self/ns/net", os.O_RDONLY)
    become_root_of_new(NET)

    def connect(name, host, port, family=socket.AF_INET, kind=socket.SOCK_STREAM):
        with socket.socket(family, kind) as s:
            s.settimeout(5) if name.endswith("later") else None
            os_call(name, s.connect, (host, port))

    connect("allowed, nothing up", allowed, 443)
    connect("allowed, not blocking, later", allowed, 443)
    connect("denied", denied, 443)
    connect("resolver", "192.0.2.53", 53, kind=socket.SOCK_DGRAM)
    os.system("ip link set lo up && ip route add local 0.0.0.0/0 dev lo")
    connect("allowed, everything local and nobody there", allowed, 443)
    connect("denied, everything local", denied, 443)
    with socket.create_server((allowed, 443)) as own:
        connect("allowed, a server of its own there", allowed, 443)
        result["it came"] = own.accept()[0].getpeername()[0]
    with socket.create_server(("127.0.0.1", 80)) as own:
        connect("its own loopback", "127.0.0.1", 80)
    tried("back into the session's network", libc.setns(session, NET))
    result["a wire to the session"] = os.system("ip link add wire type veth peer name eww netns 1 2>/dev/null")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for name, option in (("IPT_SO_SET_REPLACE", 64), ("ARPT_SO_SET_REPLACE", 96), ("EBT_SO_SET_ENTRIES", 128), ("IP_VS_SO_SET_FLUSH", 1157)):
            os_call(name, s.setsockopt, socket.SOL_IP, option, bytes(128))
    for name, family, protocol in (("NETLINK_NETFILTER", socket.AF_NETLINK, 12), ("NETLINK_XFRM", socket.AF_NETLINK, 6),
                                   ("AF_PACKET", socket.AF_PACKET, 0), ("raw ICMP", socket.AF_INET, 1), ("AF_VSOCK", socket.AF_VSOCK, 0)):
        os_call(name, lambda: socket.socket(family, socket.SOCK_RAW, protocol).close())


def privileges():
    """All capabilities in a namespace of its own: what they do not open."""
    keep = os.open("/proc/self/ns/user", os.O_RDONLY)
    become_root_of_new(MOUNT)
    for name, number, *arguments in (("keyctl", 250, 0, -3, 0), ("bpf", 321, 0, None, 0), ("perf_event_open", 298, None, 0, -1, -1, 0),
                                     ("io_uring_setup", 425, 1, None), ("userfaultfd", 323, 0), ("fsopen", 430, b"tmpfs", 0),
                                     ("open_tree", 428, -100, b"/", 1), ("clone3", 435, None, 0), ("open_by_handle_at", 304, -100, None, 0),
                                     ("init_module", 175, None, 0, b""), ("ptrace init", 101, 16, 1, 0, 0)):
        call(name, number, *arguments)
    tried("back into the session's user namespace", libc.setns(keep, USER))
    for path in ("/proc/1/environ", "/proc/1/mem", "/proc/1/maps", "/proc/1/ns/user", "/proc/1/root/etc"):
        os_call(path, lambda: os.close(os.open(path, os.O_RDONLY)))
    os_call("kill init", os.kill, 1, 9)
    os_call("become another user", os.setuid, 1)
    os_call("give a file away", os.chown, os.open("given", os.O_CREAT | os.O_WRONLY), 1, 1)
    os_call("setuid bit", os.chmod, "given", 0o4755)
    os_call("device", os.mknod, "device", 0o20600, os.makedev(1, 3))
    os_call("more processes", lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_NPROC, (100000, 100000)))
    os_call("host name", socket.sethostname, "own")
    os_call("sysctl", write, "/proc/sys/net/ipv4/ip_forward", "1")


def processes(most):
    """As many processes as go, in a user namespace of its own."""
    become_root_of_new(PID)
    count = 0
    try:
        while count < most:
            if os.fork() == 0:
                __import__("time").sleep(60)
                os._exit(0)
            count += 1
    except OSError as error:
        result["errno"] = errno.errorcode[error.errno]
    result["count"] = count


def spaces(most):
    """As many user namespaces as go, each in the one before it or held by a descriptor."""
    held = 0
    while held < most:
        readable, writable = os.pipe()
        if os.fork() == 0:
            failed = libc.unshare(ctypes.c_int(USER))
            os.write(writable, errno.errorcode[ctypes.get_errno()].encode() if failed else b"ok")
            os.close(writable)
            __import__("signal").pause()
        os.close(writable)
        said = os.read(readable, 20).decode()
        os.close(readable)
        if said != "ok":
            result["errno"] = said
            break
        held += 1
    result["held"] = held


what, words = sys.argv[1], sys.argv[2:]
{"mounts": mounts, "network": network, "privileges": privileges,
 "processes": lambda most: processes(int(most)), "spaces": lambda most: spaces(int(most))}[what](*words)
print(json.dumps(result))
sys.stdout.flush()
os._exit(0)
