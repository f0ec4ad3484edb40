// What kind of address this is (IANA special-purpose registries, RFC 6890 and successors). NAT64 (64:ff9b::/96, 64:ff9b:1::/48),
// 6to4 (2002::/16), Teredo and IPv4-compatible forms are unwrapped and judged by what they carry. The documentation networks
// (192.0.2/24, 198.51.100/24, 203.0.113/24, 2001:db8::/32) count as public, on an interface of this host or not: tests live there.
#pragma once

#include "core/egress/ip_address.h"

#include <string>
#include <vector>

namespace belljar {

enum class AddressKind { Public, Private, Loopback, LinkLocal, Multicast, Unspecified, SharedCgn, StandIn, Metadata, Reserved, OwnHost };

AddressKind classify(const IpAddress& ip, const std::vector<IpAddress>& own_addresses);
// A phrase for a sentence: "a loopback address", "a metadata address (wrapped by NAT64)".
std::string describe(AddressKind kind);

} // namespace belljar
