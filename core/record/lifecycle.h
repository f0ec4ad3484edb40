// What a session's folder says about it: its record's first and last event, its seal, its lock.
#pragma once

#include "core/record/session_row.h"
#include "core/session/paths.h"

#include <string>
#include <vector>

namespace belljar {

// How long a session may have neither lock nor record.
inline constexpr std::int64_t kStartingMicroseconds = 15'000'000;

// Fills in what the folder knows; what it does not know stays as it is in `row` (whose id is set). Reads the whole
// record only when the session was lost, to count what nobody counted. Never fails: a record that cannot be read is a
// lost session whose `reason` says why.
void refresh_from_folder(const Paths& paths, SessionRow& row);

// Nothing about it will change any more.
bool is_settled(const SessionRow& row);

// Whether somebody holds the session's lock. Takes a shared lock for a moment to find out, so whoever takes the
// exclusive one must wait for it (flock(2) without LOCK_NB) or try again.
bool session_is_alive(const Paths& paths, const std::string& id);

// A command as one line that a shell would read back.
std::string command_line(const std::vector<std::string>& argv);

} // namespace belljar
