// One Start request: from a spec and its descriptors to a running session.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <sys/types.h>
#include <vector>

namespace belljar {

// `fds` in the order that org.belljar.Helper.Start states. The pid is the supervisor's.
Result<pid_t> start_session(const SessionSpec& spec, std::vector<UniqueFd> fds);

} // namespace belljar
