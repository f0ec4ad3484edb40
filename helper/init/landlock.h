// Landlock on top of the mounts (landlock(7)): a second, independent statement of what may be written. Uses what the running
// kernel has; the structure and constants newer than the system's header are defined here.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"

#include <optional>

namespace belljar {

// The kernel's ABI version; nullopt where Landlock is missing or switched off.
std::optional<int> landlock_abi();
// Restricts the calling process: reading and executing everywhere, writing only in the workspace, the home, the policy's write
// paths and the scratch folders. Needs no_new_privs.
Status enforce_landlock(const SessionSpec& spec, int abi);

} // namespace belljar
