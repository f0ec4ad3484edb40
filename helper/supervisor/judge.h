// From what a program named to a verdict: looks a stand-in address up, knows the session's own loopback, the host services
// and the door's own ports. No I/O. Loop thread only.
#pragma once

#include "core/egress/decision.h"
#include "core/session/spec.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace belljar {

struct Judgement {
    enum class Kind {
        Own,       // the session's own loopback (or unspecified address): connect it, no record
        Dns,       // port 53 of any other address: answered by us, connect it, no record
        Denied,    // EACCES and a record
        Allowed,   // as far as the name or address goes; the resolved address is judged in Outside
    } kind = Kind::Denied;
    Destination destination;
    Verdict verdict;
};

class Judge {
public:
    static Result<Judge> make(const SessionSpec& spec);
    Judgement judge(const Endpoint& original, Transport transport) const;
    // The stand-in address (198.18.0.0/15, 198.18.0.1 excepted) of a name; made at the first call, the same for the
    // session, never recycled. nullopt: exhausted (SERVFAIL).
    std::optional<IpAddress> stand_in(const std::string& normalised_name);
    std::optional<std::string> name_of(const IpAddress& stand_in) const;
    const EgressPolicy& policy() const { return policy_; }
    void close_port(std::uint16_t port) { door_ports_.insert(port); } // the door's own listeners: never a destination

private:
    EgressPolicy policy_;
    std::set<std::uint16_t> host_services_, door_ports_;
    std::unordered_map<std::string, IpAddress> by_name_;
    std::unordered_map<std::uint32_t, std::string> by_address_;
    std::uint32_t next_ = 2;
};

} // namespace belljar
