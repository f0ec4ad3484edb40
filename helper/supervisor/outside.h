// The supervisor's way out, on a session's behalf: resolves an allowed destination (through belljar-resolver, answers kept 10 s), judges the
// addresses, and connects (happy eyeballs, RFC 8305). Where the host has a proxy, a destination that NO_PROXY does not name is
// not resolved here: the proxy is connected to and asked for it, by name, and which address that is the proxy decides. Loop thread only; nothing here blocks.
#pragma once

#include "core/egress/decision.h"
#include "core/session/spec.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belljar {

struct Resolution {
    std::vector<IpAddress> addresses; // usable ones, in the order to try; empty when refused or failed
    bool refused = false;             // the policy (or decide_resolved) refuses: a denial with `reason`
    int errno_value = 0;              // otherwise, when it failed: EHOSTUNREACH for a name that does not resolve, …
    std::string reason;
    std::string proxy;                // "proxy.example:3128" when the addresses are the proxy's; else empty
    std::string authority;            // what it is asked for: "example.net:443"
};

struct Reached {
    int errno_value = 0; // of the last try; 0: `socket` stands
    UniqueFd socket;
    IpAddress ip;        // the one that it is connected to
    std::string reason;  // why not, as the record has it
};

class Outside {
public:
    static std::unique_ptr<Outside> make(boost::asio::io_context& loop, UniqueFd resolver, const EgressPolicy& policy,
                                         const std::optional<ProxySpec>& proxy = {});
    virtual ~Outside() = default;
    virtual void resolve(const Destination& destination, std::function<void(Resolution)> done) = 0;
    // Connects a non-blocking TCP socket, through the proxy where the way leads there. A host service goes to the host's
    // 127.0.0.1, then ::1.
    virtual void dial(const Resolution& way, std::uint16_t port, std::function<void(Reached)> done) = 0;
};

} // namespace belljar
