// What kind of address this is (IANA special-purpose registries, RFC 6890 and successors). NAT64 (64:ff9b::/96, 64:ff9b:1::/48),
// 6to4 (2002::/16), Teredo, IPv4-compatible and IPv4-translated forms are unwrapped and judged by what they carry. Where what
// is carried can be read in several ways, the worst reading counts. The documentation networks (192.0.2/24, 198.51.100/24,
// 203.0.113/24, 2001:db8::/32) count as public, on an interface of this host or not: tests live there. IPv6 outside of
// 2000::/3 that no registry names is reserved, not public.
#pragma once

#include "core/egress/ip_address.h"

#include <string>
#include <vector>

namespace belljar {

enum class AddressKind { Public, Private, Loopback, LinkLocal, Multicast, Unspecified, SharedCgn, StandIn, Metadata, Reserved, OwnHost };

AddressKind classify(const IpAddress& ip, const std::vector<IpAddress>& own_addresses);
// A phrase for a sentence: "a loopback address".
std::string describe(AddressKind kind);
// The same, with the wrapping where there is one: "a metadata address (wrapped by NAT64)".
std::string describe(const IpAddress& ip, const std::vector<IpAddress>& own_addresses);

// Whether the first `prefix_length` bits of both are the same; false for different families.
bool in_network(const IpAddress& ip, const IpAddress& network, unsigned prefix_length);

} // namespace belljar
