#include "helper/builder/namespaces.h"

#include "core/system/files.h"

#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar {

const std::uint64_t kSupervisorNamespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
const std::uint64_t kSessionNamespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
                                         CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWTIME;

namespace {

pid_t clone3(std::uint64_t flags) {
    clone_args arguments{};
    arguments.flags = flags;
    arguments.exit_signal = SIGCHLD;
    return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

// Why the kernel says no, as the sentence that `belljar doctor` says too.
tl::unexpected<Error> refused(int errno_value) {
    const char* what = "make namespaces";
    const std::string why = errno_value == ENOSPC || errno_value == EUSERS
                                ? std::string("the limit of user namespaces is reached (user.max_user_namespaces)")
                                : errno_value == EPERM ? std::string("this machine does not let ordinary users make user namespaces")
                                                       : std::string();
    auto error = system_failure(what, errno_value);
    if (!why.empty()) error.value().why = why;
    error.value().next = "`belljar doctor` says which setting it is and how to change it";
    return error;
}

} // namespace

Result<pid_t> fork_into(std::uint64_t namespaces) {
    pid_t pid = clone3(namespaces);
    if (pid < 0 && errno == EINVAL && (namespaces & CLONE_NEWTIME) != 0) pid = clone3(namespaces & ~std::uint64_t{CLONE_NEWTIME});
    if (pid < 0) return refused(errno);
    return pid;
}

Status map_own_identity(uid_t uid, gid_t gid) {
    if (Status done = write_existing("/proc/self/setgroups", "deny"); !done) return done;
    if (Status done = write_existing("/proc/self/uid_map", fmt::format("{} {} 1\n", uid, uid)); !done) return done;
    return write_existing("/proc/self/gid_map", fmt::format("{} {} 1\n", gid, gid));
}

Status limit_namespaces_inside(bool nested) {
    const char* most = nested ? "256" : "0"; // a browser makes a dozen; each network namespace costs the kernel some 100 KiB
    for (const char* kind : {"user", "net"})
        if (Status done = write_existing(fmt::format("/proc/sys/user/max_{}_namespaces", kind), most); !done) return done;
    // Who makes a cgroup namespace may mount its hierarchy, and where the user owns the cgroup that Belljar was started in (a
    // scope of systemd's), cgroup.kill in it ends what lies outside of the session. One is there: the session's own.
    return write_existing("/proc/sys/user/max_cgroup_namespaces", "0");
}

} // namespace belljar
