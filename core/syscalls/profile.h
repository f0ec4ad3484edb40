// The built-in profiles as values, and what no profile can give. Private to this room: filter.cpp makes BPF of them,
// belljar-filter prints them.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace belljar {

// (argument & mask) == value. Where the kernel reads an argument as 32 bits the mask has 32 bits, so that high bits
// neither help nor harm: the upper half of a register that holds an int is undefined (System V ABI).
struct MaskedArgument {
    unsigned argument;
    std::uint64_t mask, value;
};
using Conditions = std::vector<MaskedArgument>; // all must hold

// Calls that a profile allows: number → alternatives, of which one must hold. No alternatives: always.
using AllowedCalls = std::map<int, std::vector<Conditions>>;

std::optional<AllowedCalls> profile_calls(std::string_view profile); // "default", "strict"
void add_nested_calls(AllowedCalls& calls);
std::span<const std::string_view> profile_names();

// The spec's profile with its own calls applied.
Result<AllowedCalls> allowed_calls(const SyscallSpec& spec);

// Judged before any profile, and not for a policy to allow.
struct Refusal {
    int number;
    Conditions conditions;    // none: always
    bool is_notified = false; // else answered ENOSYS
    std::string_view reason;
};
const std::vector<Refusal>& refusals();
// Beside them where namespaces of the session's own are allowed: what their capabilities would open.
const std::vector<Refusal>& nested_refusals();

// Why a policy cannot allow this call, or deny it; "" when it can.
std::string_view reason_not_to_allow(std::string_view call);
std::string_view reason_not_to_deny(std::string_view call);

} // namespace belljar
