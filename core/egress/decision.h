// The egress decision: a pure function over values. A verdict carries its reason and the rule that gave it.
#pragma once

#include "core/egress/host_pattern.h"
#include "core/egress/ip_address.h"

#include <string>
#include <string_view>
#include <vector>

namespace belljar {

enum class Transport { Tcp, Udp };

// Where a program wants to go. `name` is the normalised name whose stand-in address it used, or empty when it named an
// address itself. `host_service`: the session's localhost:PORT that stands for the host's loopback service.
struct Destination {
    std::string name;
    IpAddress ip;
    std::uint16_t port = 0;
    Transport transport = Transport::Tcp;
    bool host_service = false;
};

struct EgressPolicy {
    struct Set {
        std::string source; // whose rules, for sentences
        std::vector<HostPattern> allow, deny;
        std::vector<HostPattern> private_names; // names and networks that may be private addresses (ports do not matter)
    };
    std::vector<Set> sets; // a destination must be allowed by each; no sets at all allow nothing
};

struct Verdict {
    bool allowed = false;
    bool raw = false;      // the SNI/Host check is waived by the rule
    std::string rule;      // the pattern's text that decided; empty when no rule matched
    std::string reason;    // "allowed", "denied by rule", "no rule allows it", "UDP leaves only as DNS", …
};

// UDP is never allowed (DNS is answered by the supervisor before this is asked). `deny` wins over `allow`. A Destination
// with a name is judged by name rules alone; one without by Network rules alone.
Verdict decide(const EgressPolicy& policy, const Destination& destination);
// Whether a look-up of the name may be answered: some port of it could be allowed. The rule is the first that could.
Verdict decide_name(const EgressPolicy& policy, std::string_view normalised_name);
// Whether the resolved address of an allowed name may be used: public addresses always, others only if every set that
// allows the name lists it (or the address) in private_names. The reason names the kind of address.
Verdict decide_resolved(const EgressPolicy& policy, std::string_view normalised_name, const IpAddress& ip,
                        const std::vector<IpAddress>& own_addresses);

} // namespace belljar
