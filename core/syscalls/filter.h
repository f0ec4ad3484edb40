// Builds the seccomp filter of a session as a classic-BPF program (seccomp(2), seccomp_unotify(2)), with libseccomp.
//   allowed calls → ALLOW; `connect` and every denied call → USER_NOTIF (the supervisor sees and answers them);
//   clone3, openat2 (their arguments lie in memory, out of a filter's reach) and unknown numbers → ERRNO(ENOSYS);
//   other architectures (i386, x32) → ERRNO(ENOSYS).
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"

#include <linux/filter.h>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// An unknown call name or profile is an Error with the nearest name. `allow` wins over the profile, `deny` over both;
// what cannot be allowed (connect without notification, clone3, other architectures, …) is refused in words.
// The program does not depend on the running kernel: the same spec gives the same bytes anywhere.
Result<std::vector<sock_filter>> build_filter(const SyscallSpec& spec);

// The same in words, one entry for each call of the table, for people (belljar-filter --explain).
struct CallVerdict {
    enum class Kind { Allowed, AllowedWhen, Notified, Missing }; // Missing: ENOSYS
    int number = 0;
    std::string_view name;
    Kind kind = Kind::Notified;
    std::string condition; // AllowedWhen: for which arguments; Missing: why
};
Result<std::vector<CallVerdict>> call_verdicts(const SyscallSpec& spec);

} // namespace belljar
