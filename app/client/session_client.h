// Speaking to a running session over its socket.
#pragma once

#include "app/client/place.h"
#include "core/varlink/client.h"

#include <optional>

namespace belljar {

// Connects; an Error says whether the session has ended, is lost, or does not answer. Reads and writes give up after 10
// s.
Result<varlink::Client> connect_to_session(const Place& place, const SessionRow& row);

// Ends it and waits for the seal. Its status, where it could still be told.
Result<std::optional<int>> stop_session(const Place& place, const SessionRow& row, bool force);

SessionTotals totals_from(const nlohmann::json& totals); // the interface's type Totals
// The index knows no totals of what still runs: asks the session for them. One that does not answer in half a second
// keeps zeros.
void ask_for_totals(const Place& place, SessionRow& row);

} // namespace belljar
