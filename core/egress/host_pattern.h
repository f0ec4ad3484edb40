// A host pattern of a policy (docs/policy.md). Forms:
//   name            that name only, ports 443 and 80          *.name    its subdomains, not itself
//   name:PORT  name:*   one port, any port                    name:443/raw   waives the SNI/Host check (443 and 80 only)
//   10.1.2.0/24:5432  192.0.2.7  [2001:db8::]/32:22           addresses; no bits beyond the prefix
//   host:PORT       the host's own loopback service, at the session's localhost:PORT
//   *               everything; only where the caller says so (observe)
// Case, a trailing dot and IDN are normalised first (see normalise_host_name); anything else odd (NUL, control characters,
// spaces, "*.com", "a.*.b", empty labels, labels over 63, names over 253, "localhost", 127.1, ports like 0443) is an Error.
#pragma once

#include "core/egress/ip_address.h"
#include "core/system/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace belljar {

struct HostPattern {
    enum class Kind { Name, Subdomains, Network, HostService, Everything };
    Kind kind = Kind::Name;
    std::string name;                 // normalised; Name and Subdomains
    IpAddress network;                // Network
    unsigned prefix_length = 0;       // Network; 32 or 128 for a single address
    enum class Ports { Web, Any, One } ports = Ports::Web; // Web: 443 and 80
    std::uint16_t port = 0;           // Ports::One
    bool raw = false;
    std::string text;                 // as written, for the record and for sentences

    static Result<HostPattern> parse(std::string_view text, bool everything_allowed = false);
    bool matches_port(std::uint16_t port) const;
    bool matches_name(std::string_view normalised_name) const;
    bool matches_address(const IpAddress& ip) const;
};

// Lower case, no trailing dot, U-labels to A-labels (unicode_label.h); an Error for what cannot be a host name, what
// inet_aton(3) would take for an address ("127.1") included. Underscores are accepted (they occur in real names).
Result<std::string> normalise_host_name(std::string_view name);

} // namespace belljar
