// The user's own terminal while a session has it: raw when both input and output are it, else left alone (in
// `belljar run -- ls | less` the terminal's keys are the pager's). Restored on every way out (termios(3)): by us, in the
// handler of a crash, and after SIGKILL by the guard, a child that waits for our end.
#pragma once

#include "core/system/unique_fd.h"

#include <string_view>
#include <termios.h>

namespace belljar::cli {

struct WindowSize {
    unsigned rows = 24, columns = 80;
};

class UserTerminal {
public:
    // `fd` is borrowed and stays open; `raw`: take the terminal over whenever we are in its foreground.
    UserTerminal(int fd, bool raw);
    ~UserTerminal();
    UserTerminal(const UserTerminal&) = delete;
    UserTerminal& operator=(const UserTerminal&) = delete;

    void take(); // makes it raw, if wanted and in the foreground; again after SIGCONT
    void give_back();
    // Starts the guard, if we took the terminal. It does nothing when we end in an orderly way, nor when somebody else
    // has set the terminal's modes meanwhile.
    void guard();
    void say(std::string_view line) const;
    // For when the session cannot take back what it set any more: leaves the alternate screen, mouse and paste modes.
    void calm() const;
    bool in_foreground() const;
    // Whether keys are ours to read now: in the foreground, and, where we did not make it raw, nobody else did.
    bool may_read() const;
    WindowSize size() const;
    // A descriptor of its own on the terminal, non-blocking without touching the flags the user's shell shares; empty
    // where it cannot be opened again (it belongs to somebody else).
    UniqueFd reopen(int flags) const;

private:
    int fd_;
    bool raw_, taken_ = false;
    termios saved_{}, raw_modes_{};
    UniqueFd guard_; // closed without a word: restore
};

} // namespace belljar::cli
