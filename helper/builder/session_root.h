// What a session sees of the file system: a private root with the visible system read-only, its workspace, its private home
// and what the policy names, and nothing else (DESIGN: promise 3).
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

namespace belljar {

// What is made in one mount namespace before anything of the session runs.
struct SessionRoot {
    UniqueFd pty_master; // where the spec wants a terminal; non-blocking
};

// Called in the session's namespaces with all capabilities there; the network must be up already (its sysctls are written
// while /proc/sys can be written). The working directory is the spec's afterwards.
Result<SessionRoot> make_session_root(const SessionSpec& spec);

} // namespace belljar
