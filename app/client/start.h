// From what somebody asks for to a session: what `belljar run` and the window's form have in common. In this order:
// start_helper (launch.h), prepare_start, make_session_ready, then the call to the helper, and write_down beside the running
// command. Nothing is on disk before make_session_ready.
#pragma once

#include "app/client/given_request.h"
#include "app/client/launch.h"
#include "app/client/place.h"
#include "core/session/spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace belljar {

struct StartRequest {
    std::string folder;                        // the workspace; relative to where one stands; empty: there
    std::string policy = "default", name;      // name: empty: the command's
    std::vector<std::string> argv, allow, env; // hosts and variables beside the policy's
    std::vector<std::string> read;             // paths beside the policy's; relative to where one stands
    TerminalSpec terminal;
    bool detached = false;
};

// Policy → spec, checked as far as that goes from outside. `notes` gets sentences for the user, also where it fails.
Result<SessionSpec> prepare_start(const Place& place, const StartRequest& request, std::vector<std::string>& notes);
// The session's folders, and those of the home it keeps.
Status make_session_ready(const Paths& paths, const SessionSpec& spec);
// What later commands want to know of the session: its spec, how to start it again, and its row for the index.
Status write_down(const Paths& paths, const SessionSpec& spec, const GivenRequest& given, const std::string& public_key,
                  std::int64_t started_us);
// Starts one that belongs to nobody, all three streams on a terminal of its own, and writes it down. Blocks for some
// milliseconds. `unwritten` is what could not be written down of a session that runs all the same.
Status start_detached(const Paths& paths, Helper helper, const SessionSpec& spec, const GivenRequest& given, Status& unwritten);
// The folders of a session that never began hold nothing worth keeping: a record without an event was only made ready by a
// supervisor that the helper then ended. What cannot be read is kept.
Status remove_unborn(const Paths& paths, const std::string& id);

} // namespace belljar
