// The supervisor's own jar: it parses hostile bytes, so it sees nothing but the session's state folder (/state) and a /proc of
// its own pid namespace.
#pragma once

#include "core/system/error.h"

#include <string>

namespace belljar {

// Called as pid 1 of the supervisor's namespaces, with all capabilities there.
Status make_supervisor_root(const std::string& state_folder);

} // namespace belljar
