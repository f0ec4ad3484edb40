#include "core/egress/decision.h"

#include "core/egress/address_class.h"

#include <algorithm>
#include <array>
#include <set>

namespace belljar {
namespace {

using Kind = HostPattern::Kind;
using Ports = HostPattern::Ports;

// A rule that denies and names no port denies every port: "443 and 80" would leave a way out beside it.
bool denies_port(const HostPattern& rule, std::uint16_t port) {
    return rule.ports == Ports::Web || rule.matches_port(port);
}

bool is_single_address(const HostPattern& rule) {
    return rule.kind == Kind::Network && rule.prefix_length == (rule.network.v6 ? 128u : 32u);
}

RuleList::Hits holding(const RuleList& rules, const Destination& destination) {
    if (destination.host_service) return rules.host_services();
    return destination.name.empty() ? rules.holding_address(destination.ip) : rules.holding_name(destination.name);
}

bool listed_as_private(const EgressPolicy::Set& set, std::string_view name, const IpAddress& ip) {
    return !set.private_names.holding_name(name).empty() || !set.private_names.holding_address(ip).empty();
}

// Whether a rule that holds an address also reaches it when the address is not a public one. A network reaches the kind
// of addresses it is made of: 10.0.0.0/8 reaches 10.1.2.3, but 0.0.0.0/0 does not, and 169.254.0.0/16 does not reach
// 169.254.169.254. An address written out is meant.
bool reaches_kind(const HostPattern& rule, const IpAddress& ip, const std::vector<IpAddress>& own_addresses) {
    const AddressKind kind = classify(ip, own_addresses);
    if (kind == AddressKind::Public || is_single_address(rule)) return true;
    return rule.kind == Kind::Network && classify(rule.network, {}) == kind;
}

std::string refuses_kind(const IpAddress& ip, const std::vector<IpAddress>& own_addresses) {
    return ip.text() + " is " + describe(ip, own_addresses);
}

Verdict judge_by(const EgressPolicy::Set& set, const Destination& destination, bool several) {
    for (const HostPattern* rule : holding(set.deny, destination))
        if (denies_port(*rule, destination.port)) return {false, false, rule->text, "denied by rule"};
    bool other_port = false, other_kind = false;
    for (const HostPattern* rule : holding(set.allow, destination)) {
        const bool by_address = !destination.host_service && destination.name.empty();
        if (!rule->matches_port(destination.port)) {
            other_port = true;
        } else if (by_address && !reaches_kind(*rule, destination.ip, {}) &&
                   !listed_as_private(set, {}, destination.ip)) {
            other_kind = true;
        } else {
            // An address and a host service have no name that the first bytes could be held against.
            return {true, rule->raw || by_address || destination.host_service, rule->text, "allowed"};
        }
    }
    const std::string whose = several ? " of " + set.source : "";
    if (other_kind) return {false, false, {}, refuses_kind(destination.ip, {}) + ": no rule" + whose + " names it"};
    if (other_port) return {false, false, {}, "the rules" + whose + " allow other ports of it"};
    return {false, false, {}, "no rule" + whose + " allows it"};
}

} // namespace

Verdict decide(const EgressPolicy& policy, const Destination& destination) {
    if (destination.transport == Transport::Udp) return {false, false, {}, "UDP leaves only as DNS"};
    if (policy.sets.empty()) return {false, false, {}, "no rule allows it"};
    // The rule that is named is the first set's (the user's own), the check is waived only where every set waives it.
    Verdict allowed;
    for (const EgressPolicy::Set& set : policy.sets) {
        Verdict verdict = judge_by(set, destination, policy.sets.size() > 1);
        if (!verdict.allowed) return verdict;
        if (allowed.allowed)
            allowed.raw = allowed.raw && verdict.raw;
        else
            allowed = std::move(verdict);
    }
    return allowed;
}

Verdict decide_name(const EgressPolicy& policy, std::string_view normalised_name) {
    Destination destination;
    destination.name = std::string(normalised_name);
    if (destination.name.empty()) return {false, false, {}, "no name"};
    // Ports differ only where a rule that holds the name says so: these, the web's, and one that no rule mentions.
    std::set<std::uint16_t> mentioned{443, 80};
    for (const EgressPolicy::Set& set : policy.sets)
        for (const auto* rules : {&set.allow, &set.deny})
            for (const HostPattern* rule : rules->holding_name(normalised_name))
                if (rule->ports == Ports::One) mentioned.insert(rule->port);
    std::uint16_t other = 1;
    while (other < 65535 && mentioned.contains(other))
        ++other;
    destination.port = 443;
    Verdict verdict = decide(policy, destination);
    if (verdict.allowed) return verdict;
    mentioned.insert(other);
    for (const std::uint16_t port : mentioned) {
        destination.port = port;
        if (Verdict here = decide(policy, destination); here.allowed) return here;
    }
    return verdict;
}

Verdict decide_resolved(const EgressPolicy& policy, std::string_view normalised_name, const IpAddress& ip,
                        const std::vector<IpAddress>& own_addresses) {
    if (policy.sets.empty()) return {false, false, {}, "no rule allows it"};
    // A network that is denied on every port is denied to names as well. (A rule for one port cannot be judged here: it
    // holds for addresses alone.)
    for (const EgressPolicy::Set& set : policy.sets)
        for (const HostPattern* rule : set.deny.holding_address(ip))
            if (rule->kind == Kind::Network && rule->ports != Ports::One)
                return {false, false, rule->text, "denied by rule: it resolves to " + ip.text()};
    if (classify(ip, own_addresses) == AddressKind::Public) return {true, false, {}, "allowed"};
    for (const EgressPolicy::Set& set : policy.sets) {
        if (listed_as_private(set, normalised_name, ip)) continue;
        const auto holding = normalised_name.empty() ? set.allow.holding_address(ip) : RuleList::Hits();
        if (std::any_of(holding.begin(), holding.end(),
                        [&](const HostPattern* rule) { return reaches_kind(*rule, ip, own_addresses); }))
            continue;
        const std::string whose = policy.sets.size() > 1 ? " of " + set.source : "";
        return {false, false, {}, refuses_kind(ip, own_addresses) + ": `private`" + whose + " does not list the name"};
    }
    return {true, false, {}, "allowed: listed as private"};
}

} // namespace belljar
