// Whether an ordinary user may make the namespaces of a session. Three settings switch them off, and a container may
// refuse them whatever the settings say, so all of them are made at once, as a session makes them.
#include "app/cli/doctor.h"

#include "core/system/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

namespace belljar::cli {
namespace {

using State = Check::State;
constexpr int kNamespaces =
    CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWTIME;

// -1: there is no such setting.
long setting(const char* path) {
    const auto text = read_file(path, 64);
    return text ? std::atol(text->c_str()) : -1;
}

Check zero_is_off(const char* name, const char* path, const char* advice) {
    const long value = setting(path);
    if (value < 0) return {State::Ok, name, "no such setting here", {}};
    return {value == 0 ? State::Missing : State::Ok, name, std::to_string(value), value == 0 ? advice : ""};
}

Check apparmor() {
    const char* name = "kernel.apparmor_restrict_unprivileged_userns";
    const long value = setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    if (value <= 0) return {State::Ok, name, value == 0 ? "0" : "no such setting here", {}};
    // Ubuntu 24.04: namespaces are made, but without capabilities in them, unless a profile says "userns,".
    return {State::Note, name, std::to_string(value),
            "an AppArmor profile for Belljar must say \"userns,\" (the package brings one); the trial below decides"};
}

void mount_inside(Trial& trial) {
    if (!trial.stage("make / private", ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr))) return;
    if (!trial.stage("mount a tmpfs", ::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m"))) return;
    if (!trial.stage("set a host name", ::sethostname("belljar", 7))) return;
    // A fresh /proc wants a process in the new pid namespace, and a /proc that nothing covers on this machine.
    const pid_t child = ::fork();
    if (!trial.stage("fork into the pid namespace", child)) return;
    if (child == 0) {
        trial.stage("mount a fresh /proc", ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
        std::_Exit(0);
    }
    ::waitpid(child, nullptr, 0);
}

Check make_all() {
    const TrialResult result = try_in_child([](Trial& trial) {
        if (enter_user_namespace(trial, kNamespaces)) mount_inside(trial);
    });
    Check check{
        State::Ok, "namespaces, tried", "user, mount, pid, net, ipc, uts, cgroup, time; tmpfs and /proc in them", {}};
    if (result.failed_stage.empty()) return check;
    check.state = State::Missing;
    check.found = fmt::format("{}: {}", result.failed_stage, std::strerror(result.errno_value));
    if (result.failed_stage.ends_with("/proc"))
        check.advice =
            "something covers parts of /proc here (a container does that): run Belljar outside it, or unmask its /proc";
    else if (result.errno_value == ENOSPC || result.errno_value == EUSERS)
        check.advice = "raise the user.max_*_namespaces settings (sysctl user)";
    else if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") > 0)
        check.advice = "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with \"userns,\" "
                       "for Belljar";
    else
        check.advice = "see the settings above; in a container, its runtime must allow user namespaces";
    return check;
}

} // namespace

std::vector<Check> check_namespaces() {
    return {zero_is_off("user.max_user_namespaces", "/proc/sys/user/max_user_namespaces",
                        "sysctl user.max_user_namespaces=15000, and keep it in /etc/sysctl.d"),
            zero_is_off("user.max_net_namespaces", "/proc/sys/user/max_net_namespaces",
                        "sysctl user.max_net_namespaces=15000, and keep it in /etc/sysctl.d"),
            zero_is_off("kernel.unprivileged_userns_clone", "/proc/sys/kernel/unprivileged_userns_clone",
                        "sysctl kernel.unprivileged_userns_clone=1, and keep it in /etc/sysctl.d"),
            apparmor(), make_all()};
}

} // namespace belljar::cli
