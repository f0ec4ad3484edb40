// What the kernel is and which of its guards it has (KERNEL facts: docs/architecture.md).
#include "app/cli/doctor.h"

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

namespace belljar::cli {
namespace {

using State = Check::State;

Check kernel_version() {
    utsname name{};
    ::uname(&name);
    unsigned major = 0, minor = 0;
    const bool known = std::sscanf(name.release, "%u.%u", &major, &minor) == 2;
    Check check{State::Ok, "kernel", fmt::format("Linux {} on {}", name.release, name.machine), {}};
    if (!known || major < 5 || (major == 5 && minor < 19)) {
        check.state = State::Missing;
        check.advice = "Linux 5.19 or newer is needed (SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)";
    } else if (std::strcmp(name.machine, "x86_64") != 0) {
        check.state = State::Missing;
        check.advice = "the system call filter knows x86_64 only";
    }
    return check;
}

Check landlock() {
    static constexpr long kLandlockCreateRuleset = 444; // the same number on every architecture
    static constexpr unsigned kVersion = 1;             // LANDLOCK_CREATE_RULESET_VERSION
    const long abi = ::syscall(kLandlockCreateRuleset, nullptr, 0, kVersion);
    if (abi > 0) return {State::Ok, "Landlock", fmt::format("ABI {}", abi), {}};
    return {State::Note, "Landlock", std::strerror(errno),
            "sessions run without this second guard on files, unless the policy requires it; boot with lsm=…,landlock"};
}

Check yama() {
    const auto text = read_file("/proc/sys/kernel/yama/ptrace_scope", 16);
    if (!text) return {State::Ok, "Yama", "not in this kernel", {}};
    const int scope = std::atoi(text->c_str());
    if (scope < 3) return {State::Ok, "Yama", fmt::format("kernel.yama.ptrace_scope = {}", scope), {}};
    return {State::Missing, "Yama", fmt::format("kernel.yama.ptrace_scope = {}", scope),
            "the supervisor cannot see its session's processes; set it to 2 or less in /etc/sysctl.d and reboot (3 is "
            "final until then)"};
}

Check user_notification() {
    const TrialResult result = try_in_child([](Trial& trial) {
        sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const sock_fprog program{1, allow};
        if (!trial.stage("no_new_privs", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))) return;
        trial.stage("seccomp with a listener",
                    ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                              SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program));
    });
    if (result.failed_stage.empty())
        return {State::Ok, "system call notification", "seccomp listener with WAIT_KILLABLE_RECV", {}};
    Check check{State::Missing,
                "system call notification",
                fmt::format("{}: {}", result.failed_stage, std::strerror(result.errno_value)),
                {}};
    if (result.errno_value == EBUSY)
        check.advice = "this shell already runs under another program's seccomp listener; run Belljar outside it";
    else if (result.errno_value == EINVAL)
        check.advice = "the kernel has no CONFIG_SECCOMP_FILTER, or is older than 5.19";
    else
        check.advice = "a container's own filter may refuse seccomp(2); run Belljar outside it";
    return check;
}

} // namespace

std::vector<Check> check_kernel() {
    return {kernel_version(), user_notification(), landlock(), yama()};
}

} // namespace belljar::cli
