#include "app/client/doctor.h"

#include "core/system/descriptor_passing.h"
#include "core/system/files.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar {

bool Trial::stage(const char* name, long result) {
    const int error = result < 0 ? errno : 0;
    const std::string line = fmt::format("{} {}\n", error, name);
    (void)write_all(fd_, line, "trial");
    return error == 0;
}

TrialResult try_in_child(const std::function<void(Trial&)>& body) {
    auto pipe = make_pipe();
    if (!pipe) return {"pipe", pipe.error().errno_value};
    const pid_t child = ::fork();
    if (child < 0) return {"fork", errno};
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        pipe->first.reset();
        Trial trial(pipe->second.get());
        body(trial);
        std::_Exit(0);
    }
    pipe->second.reset();
    const auto lines = read_all(pipe->first.get(), "trial", 1u << 16);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!lines) return {"trial", lines.error().errno_value};
    std::string rest = *lines;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string line = rest.substr(0, end);
        const int error = std::atoi(line.c_str());
        if (error != 0) return {line.substr(line.find(' ') + 1), error};
        rest.erase(0, end + 1);
    }
    if (WIFSIGNALED(status)) return {fmt::format("the trial died of signal {}", WTERMSIG(status)), EINTR};
    return {};
}

void in_namespaces(Trial& trial, const char* stage, unsigned long namespaces, const std::function<void(Trial&)>& body) {
    const uid_t uid = ::geteuid();
    const gid_t gid = ::getegid();
    const auto clone = [](unsigned long flags) {
        clone_args arguments{};
        arguments.flags = flags;
        arguments.exit_signal = SIGCHLD;
        return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    };
    pid_t child = clone(CLONE_NEWUSER | namespaces);
    if (child < 0 && errno == EINVAL && (namespaces & CLONE_NEWTIME) != 0) // as the builder does
        child = clone(CLONE_NEWUSER | (namespaces & ~static_cast<unsigned long>(CLONE_NEWTIME)));
    if (!trial.stage(stage, child)) return;
    if (child != 0) {
        ::waitpid(child, nullptr, 0);
        return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    const auto put = [](const char* path, const std::string& text) {
        const Status written = write_existing(path, text);
        if (written) return 0L;
        errno = written.error().errno_value;
        return -1L;
    };
    if (trial.stage("write setgroups", put("/proc/self/setgroups", "deny")) &&
        trial.stage("write uid_map", put("/proc/self/uid_map", fmt::format("{} {} 1", uid, uid))) &&
        trial.stage("write gid_map", put("/proc/self/gid_map", fmt::format("{} {} 1", gid, gid))))
        body(trial);
    std::_Exit(0);
}

} // namespace belljar
