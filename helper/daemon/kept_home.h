// A home that sessions keep and share by name: FOLDER/home, and FOLDER/lock, which each session that uses it holds.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <string>

namespace belljar {

// Makes `home` in the folder (which must be ours alone) where it is missing, and returns the lock, held shared (fcntl(2), an open
// file description lock: it lives as long as any copy of the descriptor). An Error while somebody is removing the home.
Result<UniqueFd> hold_kept_home(const std::string& folder);

} // namespace belljar
