// A profile with a policy's own calls applied: names are checked, what cannot be given is refused in words. Also the
// same for people to read.
#include "core/syscalls/filter.h"
#include "core/syscalls/profile.h"
#include "core/syscalls/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace belljar {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
        }
    }
    return row.back();
}

template <class Names>
std::string nearest(std::string_view name, const Names& names) {
    name = name.substr(0, 64); // no call's name is as long
    std::string_view best;
    std::size_t best_distance = 0;
    for (const std::string_view candidate : names) {
        const std::size_t distance = edit_distance(name, candidate);
        if (best.empty() || distance < best_distance) best = candidate, best_distance = distance;
    }
    return fmt::format("did you mean \"{}\"?", best);
}

// What the alternatives of profile.cpp say, in words.
std::string profile_condition(std::string_view call) {
    if (call == "socket") return "AF_UNIX streams and SEQPACKET, TCP, UDP, NETLINK_ROUTE";
    if (call == "socketpair") return "AF_UNIX streams and SEQPACKET";
    if (call == "clone") return "without new namespaces";
    if (call == "prlimit64") return "of the caller itself (pid 0)";
    if (call == "personality") return "asking, PER_LINUX, PER_LINUX32, UNAME26, ADDR_NO_RANDOMIZE";
    return "for some arguments";
}

Result<int> known_number(const std::string& name) {
    if (const auto number = syscall_number(name)) return *number;
    std::vector<std::string_view> names;
    for (const SyscallEntry& entry : syscall_table())
        names.push_back(entry.name);
    return failure("system call \"" + name + "\"", "there is none of that name", nearest(name, names));
}

} // namespace

Result<AllowedCalls> allowed_calls(const SyscallSpec& spec) {
    auto calls = profile_calls(spec.profile);
    if (!calls)
        return failure("system call profile \"" + spec.profile + "\"", "there is none of that name",
                       nearest(spec.profile, profile_names()));
    if (spec.nested) add_nested_calls(*calls);
    for (const std::string& name : spec.allow) {
        const auto number = known_number(name);
        if (!number) return tl::unexpected(number.error());
        if (const std::string_view reason = reason_not_to_allow(name); !reason.empty())
            return failure("allow the system call " + name, std::string(reason));
        (*calls)[*number] = {};
    }
    for (const std::string& name : spec.deny) {
        const auto number = known_number(name);
        if (!number) return tl::unexpected(number.error());
        if (const std::string_view reason = reason_not_to_deny(name); !reason.empty())
            return failure("deny the system call " + name, std::string(reason));
        calls->erase(*number);
    }
    return std::move(*calls);
}

Result<std::vector<CallVerdict>> call_verdicts(const SyscallSpec& spec) {
    const auto calls = allowed_calls(spec);
    if (!calls) return tl::unexpected(calls.error());
    std::vector<CallVerdict> verdicts;
    for (const SyscallEntry& entry : syscall_table()) {
        CallVerdict one{entry.number, entry.name, CallVerdict::Kind::Notified, {}};
        if (const auto allowed = calls->find(entry.number); allowed != calls->end()) {
            one.kind = allowed->second.empty() ? CallVerdict::Kind::Allowed : CallVerdict::Kind::AllowedWhen;
            if (!allowed->second.empty()) one.condition = profile_condition(entry.name);
        }
        std::vector<Refusal> refused = refusals();
        if (spec.nested) refused.insert(refused.end(), nested_refusals().begin(), nested_refusals().end());
        for (const Refusal& refusal : refused) {
            if (refusal.number != entry.number) continue;
            if (!refusal.is_notified)
                one = {entry.number, entry.name, CallVerdict::Kind::Missing, std::string(refusal.reason)};
            if (!refusal.is_notified || one.kind == CallVerdict::Kind::Notified) continue;
            one.kind = CallVerdict::Kind::AllowedWhen;
            const std::string without = "without " + std::string(refusal.reason);
            if (one.condition.find(without) == std::string::npos)
                one.condition += (one.condition.empty() ? "" : ", ") + without;
        }
        verdicts.push_back(std::move(one));
    }
    return verdicts;
}

} // namespace belljar
