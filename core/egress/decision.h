// The egress decision: a pure function over values. A verdict carries its reason and the rule that gave it.
#pragma once

#include "core/egress/ip_address.h"
#include "core/egress/rule_list.h"

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
        RuleList allow, deny;
        RuleList private_names; // names and networks that may be private addresses (ports do not matter)
    };
    std::vector<Set> sets; // a destination must be allowed by each; no sets at all allow nothing
};

struct Verdict {
    bool allowed = false;
    bool raw = false;      // the SNI/Host check is waived by the rule
    std::string rule;      // the pattern's text that decided; empty when no rule matched
    std::string reason;    // "allowed", "denied by rule", "no rule allows it", "UDP leaves only as DNS", …
};

// UDP is never allowed (DNS is answered by the supervisor before this is asked). No sets allow nothing, and so does an empty
// `allow`. `deny` wins over `allow`, and without a port it denies every port. A Destination with a name is judged by name rules
// alone; one without by Network rules alone; a host service by HostService rules alone (Everything covers names and addresses).
// `raw` is also set where there is no name to check: addresses and host services. A Network rule reaches an address that is not
// public only when the rule is that single address, or its network is of the same kind (10.0.0.0/8, not 0.0.0.0/0), or
// `private` lists the address.
Verdict decide(const EgressPolicy& policy, const Destination& destination);
// Whether a look-up of the name may be answered: some port of it could be allowed. The rule is the first that could.
Verdict decide_name(const EgressPolicy& policy, std::string_view normalised_name);
// Whether the resolved address of an allowed name may be used: never one in a network that is denied on every port; otherwise
// public addresses always, others only if every set lists the name (or the address) in private_names. The reason names the
// kind of address. With an empty name, for a destination that
// was an address from the start: what decide() says of its kind, with the host's own addresses known.
Verdict decide_resolved(const EgressPolicy& policy, std::string_view normalised_name, const IpAddress& ip,
                        const std::vector<IpAddress>& own_addresses);

} // namespace belljar
