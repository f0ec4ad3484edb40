#include "helper/init/command.h"

#include "core/system/descriptor_passing.h"
#include "core/system/files.h"
#include "helper/init/landlock.h"
#include "helper/link/link.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace belljar {
namespace {

Status set_limit(int resource, rlim_t value, const char* name) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return system_failure(name);
    if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) value = now.rlim_max; // never raised, only lowered
    const rlimit wanted{value, value};
    if (::setrlimit(static_cast<__rlimit_resource>(resource), &wanted) != 0) return system_failure(std::string("set the limit of ") + name);
    return {};
}

Status set_limits(const LimitSpec& limits) {
    if (Status done = set_limit(RLIMIT_NOFILE, limits.open_files, "open files"); !done) return done;
    if (Status done = set_limit(RLIMIT_NPROC, limits.processes, "processes"); !done) return done;
    // 1 and not 0: a core_pattern that is a pipe ignores 0 and would run the host's handler (core(5)).
    return set_limit(RLIMIT_CORE, 1, "core size");
}

// The new session's terminal becomes the controlling one; streams take it, their pipe, or /dev/null.
Status connect_streams(const TerminalSpec& terminal) {
    if (::setsid() < 0) return system_failure("start a new session");
    UniqueFd slave;
    if (terminal.any()) {
        slave.reset(::open("/dev/pts/0", O_RDWR | O_CLOEXEC | O_NOCTTY));
        if (!slave) return system_failure("open the session's terminal");
        if (::ioctl(slave.get(), TIOCSCTTY, 0) != 0) return system_failure("take the session's terminal");
    }
    UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null) return system_failure("open /dev/null");
    const struct { StreamKind kind; int pipe; int target; } streams[] = {
        {terminal.standard_input, link::init_fd::kStandardInput, STDIN_FILENO},
        {terminal.standard_output, link::init_fd::kStandardOutput, STDOUT_FILENO},
        {terminal.standard_error, link::init_fd::kStandardError, STDERR_FILENO}};
    for (const auto& stream : streams) {
        int source = null.get();
        switch (stream.kind) {
        case StreamKind::Terminal: source = slave.get(); break;
        case StreamKind::Pipe: source = stream.pipe; break;
        case StreamKind::Null: break;
        }
        if (::dup2(source, stream.target) < 0) return system_failure("connect a standard stream");
    }
    return {};
}

Status reset_signals() {
    for (int signal = 1; signal < NSIG; ++signal) (void)::signal(signal, SIG_DFL); // the C library keeps two for itself
    sigset_t none;
    sigemptyset(&none);
    if (::sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return system_failure("reset the signal mask");
    return {};
}

// The last act before exec: from here on every denied call of this process goes to the supervisor.
Status install_filter(int link) {
    const auto bytes = read_all(link::init_fd::kFilter, "the filter program", sizeof(sock_filter) * BPF_MAXINSNS);
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->empty() || bytes->size() % sizeof(sock_filter) != 0) return failure("the filter program", "not a BPF program");
    std::vector<sock_filter> instructions(bytes->size() / sizeof(sock_filter));
    std::memcpy(instructions.data(), bytes->data(), bytes->size());
    sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
    const long listener = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                    SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
    if (listener < 0) {
        const int saved = errno;
        auto error = system_failure("install the system-call filter", saved);
        if (saved == EBUSY) error.value().next = "another program already listens to this process tree's system calls (a container runtime, or a Belljar session around this one)";
        return error;
    }
    const int fd = static_cast<int>(listener);
    Status sent = link::send(link, link::Type::Listener, 0, 0, {}, std::span(&fd, 1));
    ::close(fd); // any second holder of the listener would make denied calls hang for ever
    return sent;
}

Status make_ready(const SessionSpec& spec, std::optional<int> landlock) {
    if (Status done = connect_streams(spec.terminal); !done) return done;
    if (Status done = set_limits(spec.limits); !done) return done;
    if (Status done = reset_signals(); !done) return done;
    ::umask(0022);
    if (landlock) return enforce_landlock(spec, *landlock);
    return {};
}

[[noreturn]] void run(const SessionSpec& spec, int link, std::optional<int> landlock, int report) {
    const auto fail = [&](const char* what, int errno_value, bool ours) {
        ExecFailure failure;
        failure.errno_value = errno_value;
        failure.ours = ours;
        std::strncpy(failure.what, what, sizeof failure.what - 1);
        (void)!::write(report, &failure, sizeof failure);
        ::_exit(125);
    };
    std::vector<char*> argv, environment;
    for (const std::string& argument : spec.argv) argv.push_back(const_cast<char*>(argument.c_str()));
    for (const std::string& variable : spec.environment) environment.push_back(const_cast<char*>(variable.c_str()));
    argv.push_back(nullptr);
    environment.push_back(nullptr);
    if (Status ready = make_ready(spec, landlock); !ready) fail(ready.error().message().c_str(), ready.error().errno_value, true);
    if (Status filtered = install_filter(link); !filtered) fail(filtered.error().message().c_str(), filtered.error().errno_value, true);
    if (::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) != 0) fail("close descriptors", errno, true);
    environ = environment.data();
    ::execvp(argv[0], argv.data());
    fail(argv[0], errno, false);
    ::_exit(125);
}

} // namespace

Result<StartedCommand> start_command(const SessionSpec& spec, int link, std::optional<int> landlock) {
    auto report = make_pipe();
    if (!report) return tl::unexpected(report.error());
    const pid_t pid = ::fork();
    if (pid < 0) return system_failure("fork the command's process");
    if (pid == 0) run(spec, link, landlock, report->second.get());
    return StartedCommand{pid, std::move(report->first)};
}

} // namespace belljar
