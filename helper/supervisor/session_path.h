// A path resolved as the kernel would for a process of the session: from that process's own root and working directory,
// never above its root, without the supervisor's own tree. Rests on openat2(2): RESOLVE_IN_ROOT, RESOLVE_NO_MAGICLINKS.
#pragma once

#include "core/system/unique_fd.h"

#include <string_view>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace belljar {

// An O_PATH descriptor of what `path` names (final symlink followed), or the errno that the kernel would give. `path`
// is bytes, 1 to 108 of them, from sun_path.
tl::expected<UniqueFd, int> open_in_session(pid_t tid, std::string_view path);

} // namespace belljar
