// A policy's own calls on top of a profile, and the filter in words.
#include "bpf_interpreter.h"
#include "core/syscalls/table.h"

#include <QtTest>
#include <asm/ioctls.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

using namespace belljar;

class PolicyCallsTest : public QObject {
    Q_OBJECT
private slots:
    void the_words_agree_with_the_program() {
        for (const char* profile : {"default", "strict"}) {
            const auto verdicts = call_verdicts(SyscallSpec{profile, {}, {}});
            QCOMPARE(verdicts->size(), syscall_table().size());
            for (const CallVerdict& one : *verdicts) {
                const std::uint32_t action = run(program(profile), one.number).action;
                switch (one.kind) {
                case CallVerdict::Kind::Allowed:
                    QVERIFY2(action == kAllow, one.name.data());
                    break;
                case CallVerdict::Kind::AllowedWhen:
                    QVERIFY2(!one.condition.empty(), one.name.data());
                    break;
                case CallVerdict::Kind::Notified:
                    QVERIFY2(action == kNotify, one.name.data());
                    break;
                case CallVerdict::Kind::Missing:
                    QVERIFY2(action == kNoSys, one.name.data());
                    break;
                }
            }
        }
    }

    void a_sandbox_inside_has_its_calls_and_no_more() {
        for (const char* profile : {"default", "strict"}) {
            SyscallSpec spec{profile, {}, {}};
            spec.nested = true;
            const auto built = build_filter(spec);
            QVERIFY2(built.has_value(), built ? "" : built.error().message().c_str());
            const auto action = [&](std::string_view call, Arguments arguments = {}) {
                return word(run(*built, *syscall_number(call), arguments).action);
            };
            for (const char* call : {"clone", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot"})
                QCOMPARE(action(call, {CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET}), "allow");
            for (const char* call : {"fsopen", "fsmount", "open_tree", "move_mount", "mount_setattr", "bpf", "keyctl",
                                     "perf_event_open", "open_by_handle_at", "connect", "io_uring_setup", "init_module"})
                QCOMPARE(action(call), "notify");
            QCOMPARE(action("clone3"), "enosys");
            QCOMPARE(action("socket", {AF_NETLINK, SOCK_RAW, 12}), "notify"); // NETLINK_NETFILTER
            QCOMPARE(action("mknod", {0, 020600}), "notify");
            QCOMPARE(action("chmod", {0, 04755}), "notify");
            // Tables of the older netfilter, by a socket that every session may open.
            constexpr std::uint64_t high = 0xdeadbeef00000000;
            for (const std::uint64_t option : {64, 65, 96, 97, 128, 129, 1152, 1157, 1167})
                QCOMPARE(action("setsockopt", {3, high | SOL_IP, high | option}), "notify");
            for (const std::uint64_t option : {64, 65})
                QCOMPARE(action("setsockopt", {3, 41, option}), "notify"); // SOL_IPV6
            for (const std::uint64_t option : {1, 8, 24, 25, 32, 35, 50})
                QCOMPARE(action("setsockopt", {3, SOL_IP, option}), "allow");
            QCOMPARE(action("setsockopt", {3, SOL_SOCKET, 64}), "allow");
            const auto verdicts = call_verdicts(spec);
            QCOMPARE(verdicts->at(54).condition, std::string("without netfilter tables"));
        }
    }

    void a_policy_allows_and_denies_single_calls() {
        const auto built =
            build_filter(SyscallSpec{"strict", {"ptrace", "unshare", "clone", "chown", "mseal"}, {"chown", "mkdir"}});
        QVERIFY2(built.has_value(), built ? "" : built.error().message().c_str());
        const auto action = [&](const char* call, Arguments arguments = {}) {
            return word(run(*built, *syscall_number(call), arguments).action);
        };
        QCOMPARE(action("ptrace"), "allow");
        QCOMPARE(action("unshare"), "allow");
        QCOMPARE(action("clone", {CLONE_NEWUSER}), "allow");
        QCOMPARE(action("chown"), "notify"); // deny wins
        QCOMPARE(action("mkdir"), "notify");
        QCOMPARE(action("mkdirat"), "allow");
        QCOMPARE(action("process_vm_readv"), "notify");
        QCOMPARE(action("connect"), "notify");
    }

    void allowing_a_call_does_not_lift_the_refusals_of_its_arguments() {
        const auto built = build_filter(SyscallSpec{"default", {"chmod", "ioctl", "sendto", "seccomp"}, {}});
        QCOMPARE(run(*built, *syscall_number("chmod"), {0, 04755}).action, kNotify);
        QCOMPARE(run(*built, *syscall_number("ioctl"), {0, TIOCSTI}).action, kNotify);
        QCOMPARE(run(*built, *syscall_number("sendto"), {0, 0, 0, MSG_FASTOPEN}).action, kNotify);
        QCOMPARE(run(*built, *syscall_number("seccomp"), {1, SECCOMP_FILTER_FLAG_NEW_LISTENER}).action, kNotify);
    }

    void what_cannot_be_is_refused_in_words_data() {
        QTest::addColumn<QString>("profile");
        QTest::addColumn<QString>("allow");
        QTest::addColumn<QString>("deny");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* profile, const char* allow, const char* deny,
                            const char* words) {
            QTest::newRow(name) << QString(profile) << QString(allow) << QString(deny) << QString(words);
        };
        row("unknown profile", "defualt", "", "", "\"default\"?");
        row("empty profile", "", "", "", "none of that name");
        row("unknown call", "default", "ptrac", "", "\"ptrace\"?");
        row("unknown denied call", "default", "", "mkdri", "\"mkdir\"?");
        row("connect without notification", "default", "connect", "", "[egress]");
        row("any socket", "default", "socket", "", "families");
        row("clone3", "default", "clone3", "", "memory");
        row("openat2", "default", "openat2", "", "memory");
        row("io_uring", "default", "io_uring_setup", "", "past the filter");
        row("no connect", "default", "", "connect", "[egress]");
        row("no exec", "default", "", "execve", "started");
        row("a very long name", "default", std::string(100000, 'x').c_str(), "", "none of that name");
    }
    void what_cannot_be_is_refused_in_words() {
        QFETCH(QString, profile);
        QFETCH(QString, allow);
        QFETCH(QString, deny);
        QFETCH(QString, words);
        SyscallSpec spec{profile.toStdString(), {}, {}};
        if (!allow.isEmpty()) spec.allow = {allow.toStdString()};
        if (!deny.isEmpty()) spec.deny = {deny.toStdString()};
        const auto built = build_filter(spec);
        QVERIFY(!built.has_value());
        QVERIFY2(built.error().message().find(words.toStdString()) != std::string::npos,
                 built.error().message().c_str());
        QVERIFY(!call_verdicts(spec).has_value());
    }
};

QTEST_GUILESS_MAIN(PolicyCallsTest)
#include "policy_calls_test.moc"
