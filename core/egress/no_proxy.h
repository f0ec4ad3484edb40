// NO_PROXY: which destinations are reached without the host's proxy. There is no standard; this is what curl(1) and most
// others read: entries "example.net" and ".example.net" (the name and all below it), "192.0.2.7", "192.0.2.0/24", each
// also with ":PORT" (an IPv6 address in brackets then), and "*" for everything.
#pragma once

#include "core/egress/ip_address.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// The entries of the variable's text, separated by commas or white space.
std::vector<std::string> no_proxy_entries(std::string_view text);

class NoProxy {
public:
    // What is neither a name nor an address matches nothing, as everywhere else.
    explicit NoProxy(const std::vector<std::string>& entries);
    // A destination that was named is matched by its name (normalised), one without a name by its address.
    bool matches(std::string_view name, const IpAddress& ip, std::uint16_t port) const;

private:
    struct Entry {
        std::string name; // normalised; empty for an address
        IpAddress network;
        unsigned prefix_length = 0;
        std::uint16_t port = 0; // 0: any
    };
    std::vector<Entry> entries_;
    bool everything_ = false;
};

} // namespace belljar
