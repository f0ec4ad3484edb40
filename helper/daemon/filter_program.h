// The BPF program of a session's profile: a built-in one is a file made by the build; one with calls of the policy's own is made
// by belljar-filter, another program, because this one links no libseccomp.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

namespace belljar {

// A readable file of struct sock_filter[], positioned at its start.
Result<UniqueFd> open_filter_program(const SyscallSpec& spec);

} // namespace belljar
