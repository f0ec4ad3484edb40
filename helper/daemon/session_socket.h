// session.sock, where clients find a running session.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <string>

namespace belljar {

// Opens a folder that must be ours alone (our uid, mode 0700, no symlink); what lies in it was put there by us.
Result<UniqueFd> open_own_folder(const std::string& path);
// Binds and listens on NAME in the folder, whatever the length of its path (unix(7) allows 107 bytes). Non-blocking.
Result<UniqueFd> listen_in(int folder, const std::string& name);

} // namespace belljar
