// Whether an ordinary user may make the namespaces of a session. Three settings switch them off, and a container or a
// security module may refuse them whatever the settings say, so all of them are made, in the order and with the calls
// of the builder: the supervisor's, and the session's below them.
#include "app/client/doctor.h"

#include "core/system/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar {
namespace {

using State = Check::State;
constexpr unsigned long kSupervisors = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
constexpr unsigned long kSessions = kSupervisors | CLONE_NEWNET | CLONE_NEWCGROUP | CLONE_NEWTIME;
constexpr const char* kProcStage = "mount a fresh /proc";

void mount_inside(Trial& trial) {
    if (!trial.stage("set a host name", ::sethostname("belljar", 7))) return;
    if (!trial.stage("make / private", ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr))) return;
    if (!trial.stage("mount a tmpfs", ::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m"))) return;
    trial.stage(kProcStage, ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
}

bool apparmor_restricts(const std::string& root) {
    const auto text = read_file(root + "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 64);
    return text && std::atol(text->c_str()) > 0;
}

} // namespace

Check namespaces_check(const std::string& stage, int errno_value, const std::string& root) {
    Check check{
        State::Ok, "namespaces, tried", "user, mount, pid, net, ipc, uts, cgroup, time; tmpfs and /proc in them", {}};
    if (stage.empty()) return check;
    const std::string tried = fmt::format("{}: {}", stage, std::strerror(errno_value));
    check.state = State::Missing;
    if (stage == kProcStage) {
        check.found = "parts of /proc are covered here, as containers do, so no session can have a /proc of its own";
        check.advice = "run Belljar outside the container, or uncover its /proc (podman: --security-opt unmask=ALL, "
                       "docker: --security-opt systempaths=unconfined)";
    } else if (errno_value == ENOSPC || errno_value == EUSERS) {
        check.found = fmt::format("a limit of namespaces is reached ({})", std::strerror(errno_value));
        check.advice = "end sessions or containers that are not needed, or raise it: `sysctl user` lists "
                       "user.max_*_namespaces, and those of a container around this one count as well";
    } else if (errno_value == ENOSYS) {
        check.found = fmt::format("a system call filter around this program refuses namespaces ({})", tried);
        check.advice = "run Belljar outside that container or sandbox, or let its filter pass clone3";
    } else if (apparmor_restricts(root) && (errno_value == EPERM || errno_value == EACCES)) {
        check.found = fmt::format("AppArmor restricts the user namespaces of ordinary users "
                                  "(kernel.apparmor_restrict_unprivileged_userns is 1; {})",
                                  tried);
        check.advice = "give Belljar an AppArmor profile that says \"userns,\", or sudo sysctl "
                       "kernel.apparmor_restrict_unprivileged_userns=0, and keep it in /etc/sysctl.d";
    } else {
        check.found = fmt::format("this machine refuses user namespaces ({})", tried);
        check.advice = "a container, a chroot or a security module does that: run Belljar outside it, or let it pass "
                       "clone3 with namespaces";
    }
    return check;
}

std::vector<Check> check_namespaces() {
    const TrialResult result = try_in_child([](Trial& trial) {
        in_namespaces(trial, "make the supervisor's namespaces", kSupervisors, [](Trial& jar) {
            in_namespaces(jar, "make the session's namespaces", kSessions, mount_inside);
        });
    });
    return {namespaces_check(result.failed_stage, result.errno_value, "")};
}

} // namespace belljar
