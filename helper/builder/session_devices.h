// A session's /dev: the harmless pseudo-devices of the host, its own pseudo-terminals (devpts: newinstance), its own /dev/shm.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"
#include "helper/builder/mounts.h"

namespace belljar {

Status make_session_devices(const Roots& roots);
// A new terminal on the session's own devpts (/dev/pts/0); returns its master, non-blocking and close-on-exec.
Result<UniqueFd> open_session_terminal(const TerminalSpec& terminal);

} // namespace belljar
