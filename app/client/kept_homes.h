// The homes that sessions keep and share by name (`home = "NAME"` in a policy): listed, and removed while nobody uses them.
#pragma once

#include "core/session/paths.h"
#include "core/system/error.h"

#include <string>
#include <vector>

namespace belljar {

std::vector<std::string> list_kept_homes(const Paths& paths); // names, sorted
bool kept_home_is_in_use(const Paths& paths, const std::string& name);
// Refuses while a session holds its lock (helper/daemon/kept_home.h), and keeps sessions from starting with it meanwhile.
Status remove_kept_home(const Paths& paths, const std::string& name);

} // namespace belljar
