#include "app/cli/user_terminal.h"

#include "core/system/descriptor_passing.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

// For the handler of a crash: it can reach nothing else.
int crash_fd = -1;
termios crash_saved;

void restore_and_die(int number) {
    if (crash_fd >= 0) ::tcsetattr(crash_fd, TCSANOW, &crash_saved);
    ::raise(number); // SA_RESETHAND: the default action now
}

void restore_at_crash(int fd, const termios& saved) {
    crash_fd = fd;
    crash_saved = saved;
    struct sigaction action {};
    action.sa_handler = restore_and_die;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        ::sigaction(number, &action, nullptr);
}

// No mode of these moves the cursor or shows anything where it was not set. ESC 7 before the return from the alternate
// screen: where that was not shown, the cursor then goes back to where it is.
constexpr std::string_view kCalm = "\x18\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1004l"
                                   "\x1b[?2004l\x1b[?2026l\x1b[?1l\x1b>\x1b[?7h\x1b[?25h\x1b[m\x1b" "7\x1b[?1049l\x1b[?25h";

bool knows_sequences() {
    const char* term = std::getenv("TERM");
    return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

bool same_modes(const termios& one, const termios& other) {
    return one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag && one.c_cflag == other.c_cflag &&
           one.c_lflag == other.c_lflag;
}

// The guard's whole life. In a session of its own: no signal of the terminal's, and no job control over it.
[[noreturn]] void stand_guard(int terminal, int pipe, const termios& saved, const termios& raw) {
    ::setsid();
    ::prctl(PR_SET_NAME, "belljar-guard");
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    char byte = 0;
    ssize_t got = 0;
    do
        got = ::read(pipe, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got == 0) {
        termios now{};
        if (::tcgetattr(terminal, &now) == 0 && same_modes(now, raw)) ::tcsetattr(terminal, TCSANOW, &saved);
        if (knows_sequences()) (void)!::write(terminal, kCalm.data(), kCalm.size());
    }
    ::_exit(0);
}

} // namespace

UserTerminal::UserTerminal(int fd, bool raw) : fd_(fd), raw_(raw) {}
UserTerminal::~UserTerminal() {
    give_back();
    if (guard_) (void)!::write(guard_.get(), "", 1); // an orderly end
}

bool UserTerminal::in_foreground() const {
    const pid_t group = ::tcgetpgrp(fd_);
    return group < 0 || group == ::getpgrp(); // not our controlling terminal: no job control between us and it
}

void UserTerminal::take() {
    if (!raw_ || taken_ || !in_foreground() || ::tcgetattr(fd_, &saved_) != 0) return;
    restore_at_crash(fd_, saved_);
    termios raw = saved_;
    ::cfmakeraw(&raw);
    taken_ = ::tcsetattr(fd_, TCSADRAIN, &raw) == 0;
    raw_modes_ = raw;
}

void UserTerminal::guard() {
    if (!taken_ || guard_) return;
    auto pipe = make_pipe();
    if (!pipe) return;
    const pid_t pid = ::fork();
    if (pid == 0) {
        // Nothing of ours stays open in it but the terminal and the pipe.
        ::dup2(fd_, STDIN_FILENO);
        ::dup2(pipe->first.get(), STDOUT_FILENO);
        ::close_range(STDOUT_FILENO + 1, ~0u, 0);
        stand_guard(STDIN_FILENO, STDOUT_FILENO, saved_, raw_modes_);
    }
    if (pid > 0) guard_ = std::move(pipe->second);
}

void UserTerminal::say(std::string_view line) const {
    (void)!::write(fd_, line.data(), line.size());
}

void UserTerminal::calm() const {
    if (taken_ && knows_sequences()) say(kCalm);
}

void UserTerminal::give_back() {
    if (!taken_) return;
    // From the background this would stop us (SIGTTOU), with the terminal left as it is.
    const auto before = std::signal(SIGTTOU, SIG_IGN);
    ::tcsetattr(fd_, TCSADRAIN, &saved_);
    std::signal(SIGTTOU, before);
    crash_fd = -1;
    taken_ = false;
}

bool UserTerminal::may_read() const {
    if (!in_foreground()) return false;
    if (raw_) return taken_;
    termios now{};
    return ::tcgetattr(fd_, &now) != 0 || (now.c_lflag & ICANON) != 0;
}

WindowSize UserTerminal::size() const {
    winsize size{};
    if (::ioctl(fd_, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
    return {size.ws_row, size.ws_col};
}

UniqueFd UserTerminal::reopen(int flags) const {
    const std::string path = "/proc/self/fd/" + std::to_string(fd_);
    return UniqueFd(::open(path.c_str(), flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

} // namespace belljar::cli
