// What the three standard streams of `run` are, and what of them goes into the session: never the descriptors
// themselves (a file opened for reading can be reopened for writing through /proc/self/fd), only pipes and a terminal's
// byte stream.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <array>
#include <vector>

namespace belljar::cli {

struct StandardStreams {
    std::array<StreamKind, 3> kinds{StreamKind::Null, StreamKind::Null, StreamKind::Null};
    int terminal = -1;       // the descriptor of the user's terminal that speaks for it (output first); -1 without one
    int terminal_input = -1; // where its keys come from; -1 when standard input is something else
    bool raw = false;        // keys go to the session unchanged: input and output are the same terminal
};

// From descriptors 0, 1 and 2. /dev/null is Null; one terminal is Terminal; a second, different one is relayed like a
// pipe.
StandardStreams look_at_standard_streams();
// For a session without a client: all three on a terminal of its own, for whoever attaches.
StandardStreams detached_streams();

// Both halves of what Helper.Start passes: ours stay, theirs ride on the call in the order of the interface.
struct PassedStreams {
    std::array<UniqueFd, 3> ours; // one for each Pipe
    UniqueFd terminal, owner;     // ours
    std::vector<UniqueFd> theirs;
};
Result<PassedStreams> make_passed_streams(const StandardStreams& streams, bool detached);

} // namespace belljar::cli
