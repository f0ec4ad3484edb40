// The keys that leave a session without ending it: Ctrl-] unless told otherwise. Pressed once they detach, pressed twice
// they are typed once; which of the two it is, a third of a second tells. In the midst of what arrives at once (a paste)
// they are keys like others. Named as Docker and others do: "ctrl-]", "ctrl-p,ctrl-q", "none".
#pragma once

#include "core/system/error.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::cli {

class DetachKeys {
public:
    using Clock = std::chrono::steady_clock;

    static Result<DetachKeys> parse(const std::string& names);
    // From --detach-keys, else $BELLJAR_DETACH_KEYS, else Ctrl-].
    static Result<DetachKeys> choose(const std::string& option);
    static DetachKeys none() { return {}; }

    // What of the typed bytes goes into the session now.
    std::string type(std::string_view bytes, Clock::time_point now);
    // When to call `expire` if nothing is typed until then.
    std::optional<Clock::time_point> deadline() const { return deadline_; }
    // What was held back and turned out to be keys like others.
    std::string expire(Clock::time_point now);
    bool pressed() const { return pressed_; } // detach
    void forget() { pressed_ = false; }       // it was refused
    const std::string& name() const { return name_; }

private:
    static constexpr std::chrono::milliseconds kTwice{300}, kNextKey{1000};

    std::string name_, keys_;
    std::string held_; // keys_, or their beginning, and nothing behind it yet
    std::optional<Clock::time_point> deadline_;
    bool pressed_ = false;
};

} // namespace belljar::cli
