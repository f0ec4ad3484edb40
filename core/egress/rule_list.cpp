#include "core/egress/rule_list.h"

#include <algorithm>

namespace belljar {
namespace {

std::string_view first_bits(IpAddress& ip, unsigned prefix_length) {
    const std::size_t size = ip.v6 ? 16 : 4;
    for (std::size_t i = 0; i < size; ++i) {
        const unsigned kept = prefix_length > 8 * i ? std::min(8u, prefix_length - static_cast<unsigned>(8 * i)) : 0;
        ip.bytes[i] &= static_cast<std::uint8_t>(0xFF00u >> kept);
    }
    return {reinterpret_cast<const char*>(ip.bytes.data()), size};
}

void append(std::vector<std::uint32_t>& to, const auto& map, std::string_view key) {
    if (const auto found = map.find(key); found != map.end())
        to.insert(to.end(), found->second.begin(), found->second.end());
}

} // namespace

RuleList::RuleList(std::vector<HostPattern> rules) : rules_(std::move(rules)) {
    for (std::uint32_t place = 0; place < rules_.size(); ++place)
        index(place);
}

void RuleList::push_back(HostPattern rule) {
    rules_.push_back(std::move(rule));
    index(static_cast<std::uint32_t>(rules_.size() - 1));
}

void RuleList::index(std::uint32_t place) {
    const HostPattern& rule = rules_[place];
    switch (rule.kind) {
    case HostPattern::Kind::Name:
        names_[rule.name].push_back(place);
        return;
    case HostPattern::Kind::Subdomains:
        parents_[rule.name].push_back(place);
        return;
    case HostPattern::Kind::Network: {
        IpAddress network = rule.network;
        const std::string bits(first_bits(network, rule.prefix_length));
        networks_[{rule.network.v6, rule.prefix_length}][bits].push_back(place);
        return;
    }
    case HostPattern::Kind::HostService:
        services_.push_back(place);
        return;
    case HostPattern::Kind::Everything:
        everything_.push_back(place);
        return;
    }
}

RuleList::Hits RuleList::in_order(Places places) const {
    std::sort(places.begin(), places.end());
    Hits hits;
    hits.reserve(places.size());
    for (const std::uint32_t place : places)
        hits.push_back(&rules_[place]);
    return hits;
}

RuleList::Hits RuleList::holding_name(std::string_view name) const {
    if (name.empty()) return {};
    Places places = everything_;
    append(places, names_, name);
    // a.b.c lies below b.c and below c.
    if (!parents_.empty())
        for (std::size_t dot = name.find('.', 1); dot != std::string_view::npos; dot = name.find('.', dot + 1))
            append(places, parents_, name.substr(dot + 1));
    return in_order(std::move(places));
}

RuleList::Hits RuleList::holding_address(const IpAddress& ip) const {
    Places places = everything_;
    for (const auto& [kind, networks] : networks_) {
        if (kind.first != ip.v6) continue;
        IpAddress network = ip;
        append(places, networks, first_bits(network, kind.second));
    }
    return in_order(std::move(places));
}

RuleList::Hits RuleList::host_services() const {
    return in_order(services_);
}

} // namespace belljar
