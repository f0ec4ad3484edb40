// What the kernel is and which of its guards it has (KERNEL facts: docs/architecture.md).
#include "app/client/doctor.h"

#include "core/system/files.h"
#include "core/system/unique_fd.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) // since 5.19
#endif

namespace belljar {
namespace {

using State = Check::State;

Check kernel_version() {
    utsname name{};
    ::uname(&name);
    unsigned major = 0, minor = 0;
    const bool known = std::sscanf(name.release, "%u.%u", &major, &minor) == 2;
    const std::string kernel = fmt::format("Linux {} on {}", name.release, name.machine);
    if (!known || major < 5 || (major == 5 && minor < 19))
        return {State::Missing, "kernel", kernel + " is too old",
                "Linux 5.19 or newer is needed (SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)"};
    if (std::strcmp(name.machine, "x86_64") != 0)
        return {State::Missing, "kernel", kernel + " has system calls that the filter does not know",
                "run Belljar on x86_64"};
    return {State::Ok, "kernel", kernel, {}};
}

} // namespace

// What each ABI added (landlock(7)), of what a session uses.
Check landlock_check(long abi, int errno_value) {
    const char* name = "Landlock";
    if (abi <= 0)
        return {State::Note, name, fmt::format("this kernel has no Landlock ({})", std::strerror(errno_value)),
                "sessions run without this second guard on files, and not at all where the policy requires it: boot "
                "with landlock in lsm=…, or take it out of `require`"};
    if (abi >= 6) return {State::Ok, name, fmt::format("ABI {}", abi), {}};
    std::string lacks = "signals and abstract sockets";
    if (abi < 5) lacks += ", control of devices";
    if (abi < 3) lacks += ", truncation";
    return {State::Note, name, fmt::format("this kernel's Landlock is old (ABI {}): it does not guard {}", abi, lacks),
            abi < 2 ? "sessions run, but nothing inside can be moved from one folder to another; Linux 6.12 has all of it"
                    : "sessions run, and the other layers guard these as well; Linux 6.12 has all of it"};
}

Check notification_check(int errno_value, const std::string& stage) {
    Check check{State::Ok, "system call notification", "seccomp listener with WAIT_KILLABLE_RECV", {}};
    if (stage.empty()) return check;
    const std::string tried = fmt::format("{}: {}", stage, std::strerror(errno_value));
    check.state = State::Missing;
    if (errno_value == EBUSY) {
        check.found = "another program already listens to the system calls of this process tree (a container runtime, "
                      "or a Belljar session around this one)";
        check.advice = "run Belljar outside it";
    } else if (errno_value == EINVAL || errno_value == ENOSYS) {
        check.found = fmt::format("this kernel cannot report system calls as a session needs it ({})", tried);
        check.advice = "Linux 5.19 or newer with CONFIG_SECCOMP_FILTER is needed (SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)";
    } else {
        check.found = fmt::format("a system call filter cannot be installed here ({})", tried);
        check.advice = "a container's own filter may refuse seccomp(2): run Belljar outside it";
    }
    return check;
}

Check check_notification() {
    const TrialResult tried = try_in_child([](Trial& trial) {
        sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const sock_fprog program{1, allow};
        if (!trial.stage("no_new_privs", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))) return;
        trial.stage("seccomp with a listener",
                    ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                              SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program));
    });
    return notification_check(tried.errno_value, tried.failed_stage);
}

std::vector<Check> check_kernel() {
    static constexpr long kLandlockCreateRuleset = 444; // the same number on every architecture
    static constexpr unsigned kVersion = 1;             // LANDLOCK_CREATE_RULESET_VERSION
    const long abi = ::syscall(kLandlockCreateRuleset, nullptr, 0, kVersion);
    const Check landlock = landlock_check(abi, errno);
    return {kernel_version(), check_notification(), landlock};
}

} // namespace belljar
