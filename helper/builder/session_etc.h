// The synthesised part of a session's /etc: who the user is, how names are looked up, what the machine is called. Nothing of
// the host's own files passes: not its users, not its hosts, not its resolvers.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"

namespace belljar {

inline constexpr const char* kSessionResolver = "198.18.0.1"; // on the session's lo; every resolver address is answered
inline constexpr const char* kSessionHostName = "belljar";

// Writes into the root of the calling process; existing files (bound from the host) are not touched.
Status write_session_etc(const SessionSpec& spec);

} // namespace belljar
