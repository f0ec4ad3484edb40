// What a launch leaves for the index: a line appended to state/index.announced. Opening the index and writing a row
// takes milliseconds, as long as a short session altogether; the next reader of the index takes the lines in.
#pragma once

#include "core/record/session_row.h"
#include "core/session/paths.h"
#include "core/system/error.h"

#include <functional>
#include <vector>

namespace belljar {

// Of `row`, what SessionIndex::put says; the command is cut at 4 KiB. Any number of processes at once (flock(2),
// O_APPEND). Not synced to disk: the record is what survives a power cut, and a row can be made from it. Returns the
// file's size.
Result<std::size_t> announce_session(const Paths& paths, const SessionRow& row);

// Calls `take` with every announced row, and forgets them when it succeeds. A line that is no announcement is passed
// over.
Status take_announcements(const Paths& paths, const std::function<Status(const std::vector<SessionRow>&)>& take);

} // namespace belljar
