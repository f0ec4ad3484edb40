// The rules of one list of a policy, in its order, with an index: which of them hold a name or an address is found by
// hash, so that a list of 100,000 names costs a connection no more than one of ten.
#pragma once

#include "core/egress/host_pattern.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace belljar {

class RuleList {
public:
    using Hits = std::vector<const HostPattern*>; // in the order of the list; valid until the next push_back

    RuleList() = default;
    RuleList(std::vector<HostPattern> rules); // a list is one, with an index
    void push_back(HostPattern rule);

    auto begin() const { return rules_.begin(); }
    auto end() const { return rules_.end(); }
    std::size_t size() const { return rules_.size(); }

    Hits holding_name(std::string_view normalised_name) const; // as HostPattern::matches_name
    Hits holding_address(const IpAddress& ip) const;           // as HostPattern::matches_address
    Hits host_services() const;

private:
    using Places = std::vector<std::uint32_t>;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    using ByName = std::unordered_map<std::string, Places, Hash, std::equal_to<>>;
    void index(std::uint32_t place);
    Hits in_order(Places places) const;

    std::vector<HostPattern> rules_;
    ByName names_, parents_;                                 // Name; Subdomains, by the name they lie below
    std::map<std::pair<bool, unsigned>, ByName> networks_;   // by family and prefix length, then the network's bytes
    Places services_, everything_;
};

} // namespace belljar
