// What the built programs say of a call, its arguments and its architecture, without installing them.
#include "bpf_interpreter.h"
#include "core/syscalls/filter.h"
#include "core/syscalls/table.h"

#include <QtTest>
#include <asm/ioctls.h>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace belljar;

namespace {

constexpr std::uint64_t kHigh = 0xdeadbeef00000000; // the half of a register that the kernel does not look at

} // namespace

Q_DECLARE_METATYPE(Arguments)

class FilterTest : public QObject {
    Q_OBJECT
private slots:
    void a_call_has_its_verdict_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("strict");
        const auto row = [](const char* call, Arguments arguments, const char* expected, const char* strict = nullptr) {
            QString text;
            for (const auto value : arguments)
                text += " " + QString::number(value, 16);
            QTest::newRow(qPrintable(call + text))
                << QString(call) << arguments << QString(expected) << QString(strict ? strict : expected);
        };
        for (const char* call :
             {"read",      "write",      "close",        "execve",          "exit_group", "mmap",
              "futex",     "getppid",    "fork",         "vfork",           "bind",       "listen",
              "accept4",   "setsockopt", "prctl",        "setxattr",        "fsetxattr",  "setxattrat",
              "mseal",     "getxattrat", "rt_sigreturn", "restart_syscall", "rseq",       "pidfd_open",
              "uretprobe", "setuid",     "kill"})
            row(call, {}, "allow");
        for (const char* call : {"ptrace", "process_vm_readv", "process_vm_writev", "shmget", "mq_open", "io_submit",
                                 "capset", "landlock_restrict_self", "sched_setscheduler", "statmount"})
            row(call, {}, "allow", "notify");
        for (const char* call : {"bpf",
                                 "perf_event_open",
                                 "userfaultfd",
                                 "io_uring_setup",
                                 "io_uring_enter",
                                 "io_uring_register",
                                 "keyctl",
                                 "add_key",
                                 "request_key",
                                 "kexec_load",
                                 "kexec_file_load",
                                 "init_module",
                                 "finit_module",
                                 "delete_module",
                                 "mount",
                                 "umount2",
                                 "fsopen",
                                 "fsconfig",
                                 "fsmount",
                                 "fspick",
                                 "open_tree",
                                 "open_tree_attr",
                                 "move_mount",
                                 "mount_setattr",
                                 "pivot_root",
                                 "chroot",
                                 "unshare",
                                 "setns",
                                 "kcmp",
                                 "modify_ldt",
                                 "iopl",
                                 "ioperm",
                                 "vhangup",
                                 "acct",
                                 "swapon",
                                 "swapoff",
                                 "reboot",
                                 "quotactl",
                                 "quotactl_fd",
                                 "lookup_dcookie",
                                 "nfsservctl",
                                 "name_to_handle_at",
                                 "open_by_handle_at",
                                 "pidfd_getfd",
                                 "process_madvise",
                                 "memfd_secret",
                                 "syslog",
                                 "settimeofday",
                                 "clock_settime",
                                 "sethostname",
                                 "fanotify_init",
                                 "set_mempolicy",
                                 "move_pages",
                                 "uselib",
                                 "lsm_set_self_attr"})
            row(call, {}, "notify");
        row("clone3", {}, "enosys");
        row("openat2", {}, "enosys");
        row("connect", {}, "notify");
        row("connect", {3, 0x7fff0000, 16}, "notify");

        row("socket", {AF_UNIX, SOCK_STREAM, 0}, "allow");
        row("socket", {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0}, "allow");
        row("socket", {kHigh | AF_UNIX, kHigh | SOCK_STREAM, kHigh}, "allow");
        row("socket", {AF_UNIX, SOCK_SEQPACKET, 0}, "allow");
        row("socket", {AF_UNIX, SOCK_DGRAM, 0}, "notify");
        row("socket", {AF_UNIX, kHigh | SOCK_DGRAM | SOCK_CLOEXEC, 0}, "notify");
        row("socket", {AF_UNIX, SOCK_RAW, 0}, "notify");
        for (const std::uint64_t family : {AF_INET, AF_INET6}) {
            for (const std::uint64_t protocol : {0, int{IPPROTO_TCP}, int{IPPROTO_MPTCP}})
                row("socket", {family, SOCK_STREAM | SOCK_CLOEXEC, protocol}, "allow");
            row("socket", {family, SOCK_STREAM, IPPROTO_SCTP}, "notify");
            row("socket", {family, SOCK_DGRAM | SOCK_NONBLOCK, 0}, "allow");
            row("socket", {family, SOCK_DGRAM, IPPROTO_UDP}, "allow");
            row("socket", {family, SOCK_DGRAM, IPPROTO_ICMP}, "notify");
            row("socket", {family, SOCK_DGRAM, IPPROTO_UDPLITE}, "notify");
            row("socket", {family, SOCK_RAW, IPPROTO_ICMP}, "notify");
            row("socket", {family, kHigh | SOCK_RAW, 0}, "notify");
            row("socket", {family, SOCK_SEQPACKET, IPPROTO_SCTP}, "notify");
        }
        row("socket", {AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE}, "allow");
        row("socket", {AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE}, "allow");
        row("socket", {AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER}, "notify");
        row("socket", {AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG}, "notify");
        for (const std::uint64_t family :
             {AF_UNSPEC, AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH, AF_TIPC, AF_XDP, AF_KEY, AF_RDS})
            row("socket", {family, SOCK_STREAM, 0}, "notify");
        row("socketpair", {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0}, "allow");
        row("socketpair", {AF_UNIX, SOCK_SEQPACKET, 0}, "allow");
        row("socketpair", {AF_UNIX, SOCK_DGRAM, 0}, "notify");
        row("socketpair", {AF_TIPC, SOCK_STREAM, 0}, "notify");
        row("socketpair", {AF_INET, SOCK_STREAM, 0}, "notify");

        row("ioctl", {0, TCGETS}, "allow");
        row("ioctl", {0, TIOCSWINSZ}, "allow");
        for (const std::uint64_t high : {std::uint64_t{0}, kHigh, std::uint64_t{1} << 32, std::uint64_t{1} << 63}) {
            row("ioctl", {0, high | TIOCSTI}, "notify");
            row("ioctl", {0, high | TIOCLINUX}, "notify");
        }

        struct Mode {
            const char* call;
            std::size_t argument;
        };
        for (const auto& [call, argument] : {Mode{"chmod", 1},
                                             {"fchmod", 1},
                                             {"fchmodat", 2},
                                             {"fchmodat2", 2},
                                             {"creat", 1},
                                             {"mkdir", 1},
                                             {"mkdirat", 2},
                                             {"mknod", 1},
                                             {"mknodat", 2}}) {
            Arguments arguments(argument + 1);
            const auto with = [&](std::uint64_t mode) {
                arguments[argument] = mode;
                return arguments;
            };
            for (const std::uint64_t mode : {0, 0644, 0755, 01777})
                row(call, with(mode), "allow");
            for (const std::uint64_t mode : {04000, 02000, 06000, 04755, 02755, 06777})
                row(call, with(mode), "notify");
            row(call, with(kHigh | 04755), "notify");
            row(call, with(kHigh | 0755), "allow");
        }
        for (const auto& [call, flags] : {Mode{"open", 1}, {"openat", 2}}) {
            Arguments arguments(flags + 2);
            const auto with = [&](std::uint64_t how, std::uint64_t mode) {
                arguments[flags] = how;
                arguments[flags + 1] = mode;
                return arguments;
            };
            row(call, with(O_RDONLY, 0), "allow");
            row(call, with(O_RDONLY | O_CLOEXEC, 07777), "allow"); // the mode is not read
            row(call, with(O_CREAT | O_WRONLY | O_TRUNC, 0644), "allow");
            row(call, with(O_CREAT | O_WRONLY, 04755), "notify");
            row(call, with(O_CREAT | O_WRONLY, 02644), "notify");
            row(call, with(kHigh | O_CREAT | O_EXCL, kHigh | 06000), "notify");
            row(call, with(O_TMPFILE | O_RDWR, 0600), "allow");
            row(call, with(O_TMPFILE | O_RDWR, 04600), "notify");
            row(call, with(O_DIRECTORY, 04600), "allow");
        }
        for (const auto& [call, argument] : {Mode{"mknod", 1}, {"mknodat", 2}}) {
            Arguments arguments(argument + 1);
            const auto with = [&](std::uint64_t mode) {
                arguments[argument] = mode;
                return arguments;
            };
            for (const std::uint64_t mode : {S_IFIFO | 0600, S_IFREG | 0644, S_IFSOCK | 0700})
                row(call, with(mode), "allow");
            for (const std::uint64_t mode : {S_IFCHR | 0600, S_IFBLK | 0600})
                row(call, with(mode), "notify");
        }

        for (const auto& [call, argument] : {Mode{"sendto", 3}, {"sendmsg", 2}, {"sendmmsg", 3}}) {
            Arguments arguments(argument + 1);
            const auto with = [&](std::uint64_t value) {
                arguments[argument] = value;
                return arguments;
            };
            row(call, with(MSG_NOSIGNAL | MSG_DONTWAIT), "allow");
            row(call, with(MSG_FASTOPEN), "notify");
            row(call, with(kHigh | MSG_FASTOPEN | MSG_NOSIGNAL), "notify");
        }

        row("clone", {CLONE_VM | CLONE_VFORK | SIGCHLD}, "allow");
        row("clone",
            {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
             CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID},
            "allow");
        row("clone", {kHigh | SIGCHLD}, "allow");
        for (const std::uint64_t flag :
             {CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
            row("clone", {flag | SIGCHLD}, "notify");
            row("clone", {kHigh | flag}, "notify");
        }

        row("prlimit64", {0}, "allow");
        row("prlimit64", {kHigh}, "allow"); // a pid has 32 bits
        for (const std::uint64_t pid : {1u, 2u, 4000u, 0xffffffffu})
            row("prlimit64", {pid}, "notify");

        for (const std::uint64_t value : {std::uint64_t{0xffffffff}, ~std::uint64_t{0}, std::uint64_t{PER_LINUX},
                                          std::uint64_t{PER_LINUX32}, std::uint64_t{ADDR_NO_RANDOMIZE}})
            row("personality", {value}, "allow", "notify");
        for (const std::uint64_t value :
             {std::uint64_t{READ_IMPLIES_EXEC}, std::uint64_t{ADDR_COMPAT_LAYOUT}, std::uint64_t{0x0400000 | 8}})
            row("personality", {value}, "notify");

        row("seccomp", {SECCOMP_SET_MODE_FILTER, 0}, "allow");
        row("seccomp", {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC}, "allow");
        row("seccomp", {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER}, "notify");
        row("seccomp",
            {SECCOMP_SET_MODE_FILTER, kHigh | SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC_ESRCH},
            "notify");
    }
    void a_call_has_its_verdict() {
        QFETCH(QString, call);
        QFETCH(Arguments, arguments);
        QFETCH(QString, expected);
        QFETCH(QString, strict);
        const auto number = syscall_number(call.toStdString());
        QVERIFY(number.has_value());
        QCOMPARE(word(run(program("default"), *number, arguments).action), expected);
        QCOMPARE(word(run(program("strict"), *number, arguments).action), strict);
    }

    void other_architectures_and_unknown_numbers_are_not_there() {
        for (const char* profile : {"default", "strict"}) {
            for (int number = 0; number < 600; ++number) {
                QCOMPARE(run(program(profile), number, {}, AUDIT_ARCH_I386).action, kNoSys);
                QCOMPARE(run(program(profile), number, {}, AUDIT_ARCH_AARCH64).action, kNoSys);
                QCOMPARE(run(program(profile), number | 0x40000000).action, kNoSys);
                if (syscall_name(number).empty()) QCOMPARE(run(program(profile), number).action, kNoSys);
            }
            for (const int number : {-1, INT_MIN, INT_MAX})
                QCOMPARE(run(program(profile), number).action, kNoSys);
        }
    }

    void every_known_call_is_allowed_notified_or_deliberately_missing() {
        for (const char* profile : {"default", "strict"})
            for (const SyscallEntry& entry : syscall_table()) {
                const std::uint32_t action = run(program(profile), entry.number).action;
                const bool missing = entry.name == "clone3" || entry.name == "openat2";
                QVERIFY2(missing ? action == kNoSys : action == kAllow || action == kNotify, entry.name.data());
            }
    }

    void strict_allows_nothing_that_default_does_not() {
        for (const SyscallEntry& entry : syscall_table())
            if (run(program("strict"), entry.number).action == kAllow)
                QCOMPARE(run(program("default"), entry.number).action, kAllow);
    }

    void the_same_spec_gives_the_same_bytes() {
        const auto again = build_filter(SyscallSpec{});
        QCOMPARE(again->size(), program("default").size());
        QVERIFY(std::memcmp(again->data(), program("default").data(), again->size() * sizeof(sock_filter)) == 0);
    }

    void a_hot_call_with_conditions_is_judged_early() {
        // The kernel skips the program where the number decides; of the others these are called most.
        for (const char* call : {"openat", "ioctl", "sendto", "sendmsg", "clone"}) {
            const Outcome outcome = run(program("default"), *syscall_number(call));
            QVERIFY2(outcome.steps <= 80, qPrintable(QString("%1: %2 instructions").arg(call).arg(outcome.steps)));
        }
    }
};

QTEST_GUILESS_MAIN(FilterTest)
#include "filter_test.moc"
