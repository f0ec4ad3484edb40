#include "core/registries/program.h"

#include "core/system/descriptor_passing.h"
#include "core/system/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr std::size_t kLongestAnswer = 64 * 1024;
constexpr long kLook = 100; // milliseconds between two looks for signals

std::vector<char*> pointers(const std::vector<std::string>& list) {
    std::vector<char*> out;
    for (const std::string& item : list)
        out.push_back(const_cast<char*>(item.c_str()));
    out.push_back(nullptr);
    return out;
}

pid_t start(const std::string& path, const std::vector<std::string>& argv, const std::vector<std::string>& environment, int out) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    ::posix_spawn_file_actions_addchdir_np(&actions, "/");
    pid_t child = -1;
    const int error = ::posix_spawn(&child, path.c_str(), &actions, &attributes, pointers(argv).data(), pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    return error == 0 ? child : -1;
}

// Whether somebody wants us to end: a command that takes signals in by signalfd(2) has them blocked.
bool is_to_end() {
    sigset_t pending;
    if (::sigpending(&pending) != 0) return false;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        if (sigismember(&pending, number) == 1) return true;
    return false;
}

// Until there is something to read from `fd`, or for a pidfd the process ended; false when it took too long.
bool await(int fd, std::chrono::steady_clock::time_point deadline) {
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        if (left <= 0 || is_to_end()) return false;
        pollfd readable{fd, POLLIN, 0};
        const int ready = ::poll(&readable, 1, static_cast<int>(std::min<long>(left, kLook)));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

// Until the program closes its output; false when it took too long or said too much.
bool listen_to(int fd, std::string& answer, std::chrono::steady_clock::time_point deadline) {
    for (char buffer[4096];;) {
        if (answer.size() > kLongestAnswer || !await(fd, deadline)) return false;
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0;
        answer.append(buffer, static_cast<std::size_t>(got));
    }
}

} // namespace

std::optional<std::string> run_program(const std::string& path, const std::vector<std::string>& argv,
                                       const std::vector<std::string>& environment,
                                       std::chrono::steady_clock::time_point deadline) {
    auto pipe = make_pipe();
    if (!pipe) return std::nullopt;
    const pid_t child = start(path, argv, environment, pipe->second.get());
    if (child < 0) return std::nullopt;
    pipe->second.reset();
    std::string answer;
    const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    // It may close its output and live on: the end is waited for no longer than the answer.
    const bool heard = listen_to(pipe->first.get(), answer, deadline) && process && await(process.get(), deadline);
    ::kill(-child, SIGKILL); // a session of its own: the group is all that it started
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!heard || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    return answer;
}

} // namespace belljar
