// What administrators switch: sysctl settings, the kind of cgroups, uid ranges. Read, not tried: the trials
// (doctor_namespaces.cpp, doctor_door.cpp) have the last word where both look at one thing.
#include "app/client/doctor.h"

#include "core/system/files.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

namespace belljar {
namespace {

using State = Check::State;

// -1: there is no such setting.
long setting(const std::string& path) {
    const auto text = read_file(path, 64);
    return text ? std::atol(text->c_str()) : -1;
}

// How many a session needs: the supervisor's jar and the session's own (user_namespaces(7), namespaces(7)).
struct Need {
    const char *setting, *what;
    long count;
};
constexpr Need kNeeds[] = {
    {"max_user_namespaces", "user", 2}, {"max_mnt_namespaces", "mount", 2},     {"max_pid_namespaces", "pid", 2},
    {"max_net_namespaces", "network", 1}, {"max_ipc_namespaces", "ipc", 2},     {"max_uts_namespaces", "uts", 2},
    {"max_cgroup_namespaces", "cgroup", 1}, {"max_time_namespaces", "time", 1}};

Check limits(const std::string& root) {
    const char* name = "namespace limits";
    for (const Need& need : kNeeds) {
        const long value = setting(root + "/proc/sys/user/" + need.setting);
        if (value < 0 || value >= need.count) continue;
        return {State::Missing, name,
                value == 0 ? fmt::format("{} namespaces are switched off (user.{} is 0)", need.what, need.setting)
                           : fmt::format("{} namespaces are limited (user.{} is {}, and a session needs {})", need.what,
                                         need.setting, value, need.count),
                fmt::format("sudo sysctl user.{}=15000, and keep it in /etc/sysctl.d", need.setting)};
    }
    const long users = setting(root + "/proc/sys/user/max_user_namespaces");
    return {State::Ok, name, users < 0 ? "no such settings here" : fmt::format("{} user namespaces", users), {}};
}

// Debian's own switch.
Check unprivileged(const std::string& root) {
    const long value = setting(root + "/proc/sys/kernel/unprivileged_userns_clone");
    if (value != 0)
        return {State::Ok, "kernel.unprivileged_userns_clone", value < 0 ? "no such setting here" : "1", {}};
    return {State::Missing, "kernel.unprivileged_userns_clone",
            "ordinary users may not make user namespaces (kernel.unprivileged_userns_clone is 0)",
            "sudo sysctl kernel.unprivileged_userns_clone=1, and keep it in /etc/sysctl.d"};
}

Check apparmor(const std::string& root) {
    const char* name = "kernel.apparmor_restrict_unprivileged_userns";
    const long value = setting(root + "/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    if (value <= 0) return {State::Ok, name, value == 0 ? "0" : "no such setting here", {}};
    // Ubuntu 24.04: namespaces are made, but without capabilities in them, unless a profile says "userns,".
    return {State::Note, name,
            "AppArmor restricts the user namespaces of programs without a profile "
            "(kernel.apparmor_restrict_unprivileged_userns is 1)",
            "Belljar needs a profile that says \"userns,\"; the trial below says whether it has one"};
}

Check cgroups(const std::string& root) {
    const auto mountinfo = read_file(root + "/proc/self/mountinfo", 4u << 20);
    const Mounted mounted = mount_of("/sys/fs/cgroup", mountinfo ? *mountinfo : "");
    if (mounted.type == "cgroup2") return {State::Ok, "cgroup v2", "at /sys/fs/cgroup", {}};
    return {State::Note, "cgroup v2", "/sys/fs/cgroup is not cgroup v2 here",
            "sessions run without it; limits of memory and processors will need it (systemd.unified_cgroup_hierarchy=1 "
            "on the kernel's command line)"};
}

// subuid(5): NAME_OR_UID:FIRST:COUNT.
Check uid_range(const Place& place, const std::string& root) {
    const auto text = read_file(root + "/etc/subuid", 4u << 20);
    std::istringstream lines(text ? *text : "");
    for (std::string line; std::getline(lines, line);)
        for (const std::string& who : {place.account.name, std::to_string(place.account.uid)})
            if (line.starts_with(who + ":")) return {State::Ok, "uid range", "/etc/subuid has " + line, {}};
    return {State::Note, "uid range", fmt::format("/etc/subuid has no range for {}", place.account.name),
            "sessions do not need one: they run under your own uid, and a uid of its own for each comes with the "
            "system helper"};
}

} // namespace

Check yama_check(const std::string& root) {
    const long scope = setting(root + "/proc/sys/kernel/yama/ptrace_scope");
    if (scope < 0) return {State::Ok, "Yama", "not in this kernel", {}};
    if (scope < 3) return {State::Ok, "Yama", fmt::format("kernel.yama.ptrace_scope is {}", scope), {}};
    return {State::Missing, "Yama",
            fmt::format("nobody may look into a process (kernel.yama.ptrace_scope is {}), so no connection could be "
                        "judged",
                        scope),
            "set kernel.yama.ptrace_scope=2 or less in /etc/sysctl.d and reboot: 3 is final until then"};
}

std::vector<Check> check_settings(const Place& place, const std::string& root) {
    return {yama_check(root),  limits(root),  unprivileged(root),
            apparmor(root),    cgroups(root), uid_range(place, root)};
}

} // namespace belljar
