// What of the host's files a session sees beside system folders and workspace: filesystem.read, write, hide and --read.
#pragma once

#include "core/policy/spec_from_policy.h"

#include <string>
#include <vector>

namespace belljar {

// The real path as far as the folder exists, the rest as written: Belljar's own folders may not be there yet.
std::string real_as_far_as_it_goes(const std::string& path);

struct VisiblePaths {
    std::string home;              // the account's home, real: "~/…" of a policy lies below it
    std::vector<MountSpec> mounts; // real paths; parents before what lies in them, what is hidden last
};

// Looks at each listed path once (realpath(3), stat(2)), and at nothing else. Refused: a path that would cover the
// workspace or the home, one that holds or lies in the folders of this or another session, sockets, devices and pipes,
// and what check_mountable refuses under its real name. Absent: `read` and `hide` are left out, `write` and --read are
// errors.
Result<VisiblePaths> visible_paths(const Policy& policy, const SessionRequest& request);

} // namespace belljar
