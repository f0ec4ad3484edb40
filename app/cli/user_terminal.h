// The user's own terminal while a session has it: raw when both input and output are it, else left alone (in
// `belljar run -- ls | less` the terminal's keys are the pager's). Restored on every way out, a crash included
// (termios(3)).
#pragma once

#include "core/system/unique_fd.h"

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
    termios saved_{};
};

} // namespace belljar::cli
