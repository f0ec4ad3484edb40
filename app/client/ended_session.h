// Taking away what an ended session left in Belljar's own folders: what `rm` and `audit prune` have in common.
#pragma once

#include "app/client/place.h"
#include "core/system/unique_fd.h"

namespace belljar {

// Held while something of it goes, so that nothing starts in it meanwhile; the supervisor of a running session holds it. Empty
// where the session left no lock.
Result<UniqueFd> hold_ended_session(const Place& place, const SessionRow& row);
// Its folders and its row. The lock is the caller's to hold.
Status remove_ended_session(const Place& place, const SessionRow& row);

} // namespace belljar
