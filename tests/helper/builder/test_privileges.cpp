// What a process is left with after it has let go: read back from the kernel, layer by layer. (In a session the
// supervisor looks too, and would not start it.)

#include "helper/builder/privileges.h"
#include "tests/helper/builder/in_namespaces.h"

#include <QtTest>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

using namespace belljar;

namespace {

constexpr std::uint64_t kUser = CLONE_NEWUSER;

std::string field(const char* name) {
    const std::string status = read_file("/proc/self/status", 1u << 16).value_or("");
    const std::size_t start = status.find("\n" + std::string(name) + ":\t") + std::strlen(name) + 3;
    return status.substr(start, status.find('\n', start) - start);
}

std::string dropped() {
    const Status done = drop_all_privileges();
    return done ? std::string() : done.error().message();
}

} // namespace

class TestPrivileges : public QObject {
    Q_OBJECT
private slots:
    void before_there_are_all_of_them() { // the control of the tests below
        QCOMPARE(in_namespaces(kUser, [] { return field("CapEff") == "0000000000000000" ? "none" : std::string(); }),
                 QString());
        QCOMPARE(in_namespaces(kUser, [] { return field("CapBnd") == "0000000000000000" ? "none" : std::string(); }),
                 QString());
    }

    void no_capability_is_left_in_any_set() {
        QCOMPARE(in_namespaces(kUser,
                               [] {
                                   std::string left = dropped();
                                   for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
                                       if (field(set) != "0000000000000000")
                                           left += std::string(set) + " " + field(set) + "\n";
                                   return left;
                               }),
                 QString());
    }

    void no_program_brings_any_back() {
        QCOMPARE(in_namespaces(kUser,
                               [] {
                                   std::string left = dropped();
                                   if (field("NoNewPrivs") != "1") left += "no_new_privs is not set\n";
                                   const int locked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
                                                      SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                                      SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
                                   if ((::prctl(PR_GET_SECUREBITS) & locked) != locked)
                                       left += "the securebits are not locked\n";
                                   return left;
                               }),
                 QString());
    }

    void the_session_keyring_is_a_new_one() {
        QCOMPARE(in_namespaces(kUser,
                               [] {
                                   ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
                                   const long before =
                                       ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
                                   const std::string left = dropped();
                                   const long after =
                                       ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
                                   if (before < 0 || after < 0) return left + "no keyring to compare";
                                   return before == after ? left + "the launcher's keyring is still there" : left;
                               }),
                 QString());
    }
};

QTEST_GUILESS_MAIN(TestPrivileges)
#include "test_privileges.moc"
