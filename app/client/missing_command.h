// Why a command could not be executed inside, and what would make it: in one line, looked up outside, where the program may
// well be there. Most programs that people install for themselves lie in their home (~/.nvm, ~/.local), which is not visible.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"

#include <optional>

namespace belljar {

// `status`: 127 or 126, and `reason` the supervisor's sentence. `what` and `why` of the Error say what is wrong, `next` names
// the --read options and the policy line that show what is missing: the folder of each link on the way, and where the program
// itself lies with what belongs to it, its interpreter's included.
Error explain_not_executed(const SessionSpec& spec, int status, const std::string& reason);

// The command ran, was a script for `env`, and ended with 127: is its interpreter one that is not visible?
std::optional<Error> explain_missing_interpreter(const SessionSpec& spec);

} // namespace belljar
