#include "app/cli/user_terminal.h"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
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

} // namespace

UserTerminal::UserTerminal(int fd, bool raw) : fd_(fd), raw_(raw) {}
UserTerminal::~UserTerminal() {
    give_back();
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
