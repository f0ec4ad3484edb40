#include "helper/supervisor/judge.h"

#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::uint16_t kDnsPort = 53;
constexpr std::uint32_t kStandInNetwork = 0xC6120000; // 198.18.0.0/15 (RFC 2544)
constexpr std::uint32_t kStandInMask = 0xFFFE0000;
constexpr std::uint32_t kStandInCount = 0x20000;

bool is_stand_in(const IpAddress& ip) {
    return !ip.v6 && (ip.v4_value() & kStandInMask) == kStandInNetwork;
}

// Loopback, and the unspecified address, which the kernel takes for loopback when it is a destination.
bool is_own(const IpAddress& ip) {
    if (!ip.v6) return ip.v4_value() >> 24 == 127 || ip.v4_value() == 0;
    for (std::size_t i = 0; i < 15; ++i)
        if (ip.bytes[i] != 0) return false;
    return ip.bytes[15] <= 1;
}

Result<std::vector<HostPattern>> parse_all(const std::vector<std::string>& texts, const std::string& source) {
    std::vector<HostPattern> patterns;
    for (const std::string& text : texts) {
        auto pattern = HostPattern::parse(text);
        if (!pattern) {
            pattern.error().what = fmt::format("egress rules of {}: {}", source, pattern.error().what);
            return tl::unexpected(pattern.error());
        }
        patterns.push_back(std::move(*pattern));
    }
    return patterns;
}

} // namespace

Result<Judge> Judge::make(const SessionSpec& spec) {
    Judge judge;
    for (const EgressRules& rules : spec.egress) {
        if (rules.fallback != "deny")
            return failure(fmt::format("egress rules of {}", rules.source),
                           fmt::format("default = \"{}\" is not supported yet", rules.fallback));
        auto allow = parse_all(rules.allow, rules.source);
        if (!allow) return tl::unexpected(allow.error());
        auto deny = parse_all(rules.deny, rules.source);
        if (!deny) return tl::unexpected(deny.error());
        auto private_names = parse_all(rules.private_names, rules.source);
        if (!private_names) return tl::unexpected(private_names.error());
        for (const HostPattern& pattern : *allow)
            if (pattern.kind == HostPattern::Kind::HostService && pattern.ports == HostPattern::Ports::One)
                judge.host_services_.insert(pattern.port);
        judge.policy_.sets.push_back({rules.source, std::move(*allow), std::move(*deny), std::move(*private_names)});
    }
    return judge;
}

Judgement Judge::judge(const Endpoint& original, Transport transport) const {
    Judgement out;
    out.destination.ip = original.ip;
    out.destination.port = original.port;
    out.destination.transport = transport;
    const auto denied = [&](std::string reason) {
        out.kind = Judgement::Kind::Denied;
        out.verdict = Verdict{false, false, {}, std::move(reason)};
        return out;
    };
    const auto decided = [&] {
        out.verdict = decide(policy_, out.destination);
        out.kind = out.verdict.allowed ? Judgement::Kind::Allowed : Judgement::Kind::Denied;
        return out;
    };

    if (is_own(original.ip)) {
        if (transport == Transport::Tcp && host_services_.contains(original.port)) {
            out.destination.host_service = true;
            return decided();
        }
        if (door_ports_.contains(original.port)) return denied("a port of the door itself");
        out.kind = Judgement::Kind::Own;
        out.verdict = Verdict{true, false, {}, "the session's own loopback"};
        return out;
    }
    if (original.port == kDnsPort) {
        out.kind = Judgement::Kind::Dns;
        out.verdict = Verdict{true, false, {}, "answered by Belljar"};
        return out;
    }
    if (is_stand_in(original.ip)) {
        const auto name = name_of(original.ip);
        if (!name) return denied("an address of the stand-in network that stands for no name in this session");
        out.destination.name = *name;
    }
    return decided();
}

std::optional<IpAddress> Judge::stand_in(const std::string& normalised_name) {
    if (const auto known = by_name_.find(normalised_name); known != by_name_.end()) return known->second;
    if (next_ >= kStandInCount - 1) return std::nullopt; // the last one is the network's broadcast address
    const IpAddress address = IpAddress::v4(kStandInNetwork + next_++);
    by_name_.emplace(normalised_name, address);
    by_address_.emplace(address.v4_value(), normalised_name);
    return address;
}

std::optional<std::string> Judge::name_of(const IpAddress& stand_in) const {
    if (stand_in.v6) return std::nullopt;
    const auto known = by_address_.find(stand_in.v4_value());
    if (known == by_address_.end()) return std::nullopt;
    return known->second;
}

} // namespace belljar
