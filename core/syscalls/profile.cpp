// What a session may call. `strict` is what shells, compilers, interpreters and network clients need; `default` adds
// what Docker's default profile (moby/profiles, seccomp/default.json) gives a container without capabilities, less what
// opens a part of the kernel that agents have no use for: io_uring (it would connect and open past this filter), bpf,
// perf, keyrings, userfaultfd, namespaces, mounts, modify_ldt, handles, memory no supervisor can read (memfd_secret).
// A call that is in neither list is denied: the supervisor sees it, answers it and records it.
#include "core/syscalls/profile.h"

#include "core/syscalls/table.h"

#include <algorithm>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/personality.h>
#include <sys/socket.h>

namespace belljar {
namespace {

// clang-format off
constexpr std::string_view kStrict[] = {
    // files and folders
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2", "open",
    "openat", "creat", "close", "close_range", "stat", "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs",
    "access", "faccessat", "faccessat2", "lseek", "dup", "dup2", "dup3", "fcntl", "flock", "ioctl", "fsync",
    "fdatasync", "sync", "syncfs", "sync_file_range", "truncate", "ftruncate", "fallocate", "fadvise64", "getdents",
    "getdents64", "getcwd", "chdir", "fchdir", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "link",
    "linkat", "unlink", "unlinkat", "symlink", "symlinkat", "readlink", "readlinkat", "mknod", "mknodat", "chmod",
    "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "umask", "utime", "utimes",
    "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "getxattr", "lgetxattr",
    "fgetxattr", "getxattrat", "listxattr", "llistxattr", "flistxattr", "listxattrat", "removexattr", "lremovexattr",
    "fremovexattr", "removexattrat", "file_getattr", "inotify_init", "inotify_init1", "inotify_add_watch",
    "inotify_rm_watch", "copy_file_range", "sendfile", "splice", "pipe", "pipe2", "memfd_create",
    // waiting
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait",
    "epoll_pwait2", "eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime",
    "timerfd_gettime", "pause", "nanosleep", "clock_nanosleep", "alarm", "getitimer", "setitimer", "timer_create",
    "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "futex", "futex_waitv", "futex_wake",
    "futex_wait", "futex_requeue", "membarrier",
    // memory
    "mmap", "mprotect", "munmap", "brk", "mremap", "msync", "mincore", "madvise", "mlock", "mlock2", "munlock",
    "mlockall", "munlockall", "pkey_mprotect", "pkey_alloc", "pkey_free", "map_shadow_stack", "mseal",
    // processes, threads, signals
    "fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "kill", "tkill", "tgkill",
    "pidfd_open", "pidfd_send_signal", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending",
    "rt_sigtimedwait", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "rt_sigsuspend", "sigaltstack", "restart_syscall",
    "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "sched_getattr",
    "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval", "getpriority", "setpriority",
    "set_tid_address", "set_robust_list", "get_robust_list", "rseq", "arch_prctl", "prctl", "seccomp", "uretprobe",
    "uprobe",
    // identity, limits, clocks
    "getpid", "getppid", "gettid", "getpgid", "getpgrp", "setpgid", "getsid", "setsid", "getuid", "geteuid", "getgid",
    "getegid", "getresuid", "getresgid", "getgroups", "setuid", "setgid", "setreuid", "setregid", "setresuid",
    "setresgid", "capget", "getrlimit", "setrlimit", "getrusage", "times", "time", "gettimeofday",
    "clock_gettime", "clock_getres", "uname", "sysinfo", "getrandom", "getcpu",
    // sockets; `socket` and `socketpair` by argument, `connect` never without the supervisor
    "bind", "listen", "accept", "accept4", "getsockname", "getpeername", "setsockopt", "getsockopt", "sendto",
    "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "shutdown",
};

constexpr std::string_view kDefaultAdds[] = {
    // debuggers, on the session's own processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_mrelease",
    // System V and POSIX IPC: the session has an IPC namespace of its own
    "shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv",
    "msgctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
    // the older asynchronous I/O
    "io_setup", "io_destroy", "io_getevents", "io_pgetevents", "io_submit", "io_cancel",
    // a sandbox of the program's own
    "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "capset", "setgroups", "setfsuid",
    "setfsgid",
    // scheduling
    "sched_setparam", "sched_setscheduler", "sched_setattr", "ioprio_get", "ioprio_set", "readahead",
    "remap_file_pages", "vmsplice", "tee", "cachestat", "statmount", "listmount", "adjtimex", "clock_adjtime",
    "set_thread_area", "get_thread_area",
};

// clang-format on

// What bubblewrap and Chromium's sandbox call. The filter cannot see in which user namespace a caller is, and need not:
// without a capability, which only a namespace made inside gives, the kernel refuses all but the first two. Not in it:
// the newer calls for mounts (fsopen, open_tree, …), which neither of them needs.
constexpr std::string_view kNestedAdds[] = {
    "clone",  "unshare", "setns",       "mount",         "umount2",   "pivot_root",
    "chroot", "capset",  "sethostname", "setdomainname", "setgroups", "setfsuid", "setfsgid",
};

constexpr std::uint64_t kInt = 0xffffffff;

// AF_UNIX datagram sockets carry a name with each message (SOCK_RAW is one of them), which no filter sees: streams and
// SEQPACKET only (a pair for datagrams is made of SEQPACKET by the supervisor). Of the internet, what the door can carry:
// TCP (and its MPTCP) and UDP. Of netlink, what getaddrinfo and `ip address` ask. Everything else is no namespace's
// (AF_VSOCK), or a part of the kernel that a session does without.
std::vector<Conditions> sockets() {
    constexpr std::uint64_t type_mask = kInt & ~static_cast<std::uint64_t>(SOCK_CLOEXEC | SOCK_NONBLOCK);
    const auto one = [](std::uint64_t family, std::uint64_t type, std::optional<std::uint64_t> protocol) {
        Conditions all = {{0, kInt, family}, {1, type_mask, type}};
        if (protocol) all.push_back({2, kInt, *protocol});
        return all;
    };
    std::vector<Conditions> alternatives = {one(AF_UNIX, SOCK_STREAM, {}), one(AF_UNIX, SOCK_SEQPACKET, {})};
    for (const int family : {AF_INET, AF_INET6}) {
        for (const int protocol : {0, static_cast<int>(IPPROTO_TCP), static_cast<int>(IPPROTO_MPTCP)})
            alternatives.push_back(
                one(static_cast<std::uint64_t>(family), SOCK_STREAM, static_cast<std::uint64_t>(protocol)));
        for (const int protocol : {0, static_cast<int>(IPPROTO_UDP)})
            alternatives.push_back(
                one(static_cast<std::uint64_t>(family), SOCK_DGRAM, static_cast<std::uint64_t>(protocol)));
    }
    for (const int type : {SOCK_RAW, SOCK_DGRAM})
        alternatives.push_back(one(AF_NETLINK, static_cast<std::uint64_t>(type), NETLINK_ROUTE));
    return alternatives;
}

std::vector<Conditions> socket_pairs() {
    std::vector<Conditions> alternatives = sockets();
    std::erase_if(alternatives, [](const Conditions& all) { return all[0].value != AF_UNIX; });
    return alternatives;
}

// Threads and processes, no namespace. CLONE_NEWTIME lies in the byte of the exit signal: clone(2) cannot ask for it.
std::vector<Conditions> clones() {
    constexpr std::uint64_t namespaces =
        CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    return {{{0, namespaces, 0}}};
}

// Of the caller itself: another process may be init, whose end is the session's. (Which number is a thread of init's,
// a filter cannot know.)
std::vector<Conditions> own_limits() {
    return {{{0, kInt, 0}}};
}

// The question, plain Linux, `linux32`, `uname26`, and no address randomisation (gdb, ThreadSanitizer); not
// READ_IMPLIES_EXEC.
std::vector<Conditions> personalities() {
    std::vector<Conditions> alternatives;
    constexpr std::uint64_t linux32 = PER_LINUX32, uname26 = UNAME26, fixed_addresses = ADDR_NO_RANDOMIZE;
    for (const std::uint64_t value :
         {kInt, std::uint64_t{PER_LINUX}, linux32, uname26, uname26 | linux32, fixed_addresses})
        alternatives.push_back({{0, kInt, value}});
    return alternatives;
}

int number_of(std::string_view name) {
    const auto number = syscall_number(name);
    if (!number) throw std::logic_error("no system call is named " + std::string(name));
    return *number;
}

} // namespace

std::span<const std::string_view> profile_names() {
    static constexpr std::string_view names[] = {"default", "strict"};
    return names;
}

std::optional<AllowedCalls> profile_calls(std::string_view profile) {
    if (std::ranges::find(profile_names(), profile) == profile_names().end()) return std::nullopt;
    AllowedCalls calls;
    for (const std::string_view name : kStrict)
        calls[number_of(name)] = {};
    calls[number_of("socket")] = sockets();
    calls[number_of("socketpair")] = socket_pairs();
    calls[number_of("clone")] = clones();
    calls[number_of("prlimit64")] = own_limits();
    if (profile == "strict") return calls;
    for (const std::string_view name : kDefaultAdds)
        calls[number_of(name)] = {};
    calls[number_of("personality")] = personalities();
    return calls;
}

void add_nested_calls(AllowedCalls& calls) {
    for (const std::string_view name : kNestedAdds)
        calls[number_of(name)] = {};
}

} // namespace belljar
