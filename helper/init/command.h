// The session's command: its process is made ready (terminal, streams, limits, Landlock, filter) and then runs the program.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <optional>
#include <sys/types.h>

namespace belljar {

struct StartedCommand {
    pid_t pid = -1;              // also its process group and session
    UniqueFd failure;            // read end: empty at end-of-file means that the program runs; else an ExecFailure
};

struct ExecFailure {
    int errno_value = 0;
    bool ours = false;           // the process could not be made ready (Belljar's failure), not the program's
    char what[256] = {};
};

// Forks. The child sends the filter's listener over `link` (Type::Listener) before it runs the program.
Result<StartedCommand> start_command(const SessionSpec& spec, int link, std::optional<int> landlock);

} // namespace belljar
