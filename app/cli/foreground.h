// A session in the foreground: one poll(2) loop over the owner's connection, the standard streams, the terminal and our
// signals, from the call that starts the session to its end.
//
// What ends when: an end of our input is passed on and changes nothing else; a closed output ends that stream alone;
// the end of the session ends the loop once every output is drained (the supervisor answers Wait when nothing inside
// can write any more), however long our input could go on; a terminal that is gone stops the session (hang-up, 5 s of
// grace).
#pragma once

#include "app/cli/launch.h"
#include "app/cli/relay.h"
#include "app/cli/user_terminal.h"
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
    // `terminal` may be null. `described` is called once, with the session's public key, when it has begun.
    Foreground(Helper helper, varlink::Client owner, PassedStreams streams, const StandardStreams& kinds,
               UserTerminal* terminal, const ForwardedSignals& signals,
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

    std::optional<Helper> helper_; // until it has answered
    varlink::Client owner_;
    bool owner_gone_ = false;
    UserTerminal* terminal_;
    const ForwardedSignals& signals_;
    std::function<void(const std::string&)> described_;
    std::vector<Relay> inputs_, outputs_;
    bool keys_ = false; // inputs_ is the terminal's keyboard
    Await await_ = Await::Describe;
    std::optional<Outcome> outcome_;
};

} // namespace belljar::cli
