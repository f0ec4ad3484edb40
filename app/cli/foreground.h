// A session in the foreground, of `run` that started it as of `attach` that came later: one poll(2) loop over a connection
// to it, the standard streams, the terminal and our signals, to the session's end or until it is detached from.
//
// What ends when: an end of our input is passed on and changes nothing else; a closed output ends that stream alone;
// the end of the session ends the loop once every output is drained (the supervisor answers Wait when nothing inside
// can write any more), however long our input could go on; a terminal that is gone stops the session (hang-up, 5 s of
// grace). Who attached only leaves.
#pragma once

#include "app/cli/detach_keys.h"
#include "app/cli/relay.h"
#include "app/cli/standard_streams.h"
#include "app/cli/user_terminal.h"
#include "app/client/launch.h"
#include "core/record/index.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace belljar::cli {

struct Outcome {
    int status = 0; // as `run` exits with
    std::string reason;
    bool executed = false; // the command's program was started
    SessionTotals totals;
    bool sealed = false;
    std::string advice; // empty: none
    bool left = false;   // detached: the session goes on, and nothing above is known
    int left_by = 0;     // the signal that did it; 0: the keys
};

// How this client stands to the session.
struct Seat {
    bool owner = true;      // it started the session, which ends with it unless it detaches
    int client = 0;         // of the session's terminal
    bool read_only = false; // its keys are its own
    std::string socket;     // session.sock
    DetachKeys keys = DetachKeys::none();
};

// The signals that `run` passes on; blocked before the session is made, so that none of them finds it half made. What
// was ignored when we were started (nohup, a shell's background job) stays ignored.
class ForwardedSignals {
public:
    ForwardedSignals();
    int fd() const { return fd_.get(); }
    int next() const; // 0: none

private:
    UniqueFd fd_;
};

class Foreground {
public:
    // `helper` where it still owes an answer. `terminal` may be null. `described` is called once, with the session's
    // public key, when it has begun.
    Foreground(std::optional<Helper> helper, varlink::Client session, PassedStreams streams, const StandardStreams& kinds,
               UserTerminal* terminal, const ForwardedSignals& signals, Seat seat,
               std::function<void(const std::string&)> described);
    Result<Outcome> run();

private:
    enum class Await { Describe, Wait, Nothing };
    void make_relays(PassedStreams streams, const StandardStreams& kinds);
    Status take_replies();
    Status take_reply(const varlink::Reply& reply);
    void take_signals();
    void forward(int signal);
    void suspend();
    void hang_up();
    void resize();
    bool reader_is_slow() const;
    int patience(bool held) const;
    void look_at_clock();
    void leave(int signal);
    std::optional<Outcome> gone() const;

    std::optional<Helper> helper_; // until it has answered
    std::optional<Error> session_error_; // why the session says it did not begin
    varlink::Client session_;
    bool session_gone_ = false;
    Seat seat_;
    UserTerminal* terminal_;
    const ForwardedSignals& signals_;
    std::function<void(const std::string&)> described_;
    std::vector<Relay> inputs_, outputs_;
    bool keys_ = false; // inputs_ is the terminal's keyboard
    Await await_ = Await::Describe;
    std::optional<Outcome> outcome_;
    bool left_ = false; // what the terminal still gets is on its way
    int left_by_ = 0;
    std::optional<std::chrono::steady_clock::time_point> guard_at_; // when the terminal gets its guard
    std::chrono::steady_clock::time_point leave_until_;
};

} // namespace belljar::cli
