// The supervisor's way out, on a session's behalf: resolves an allowed destination (through belljar-resolver, answers kept 10 s), judges the
// addresses, and connects (happy eyeballs, RFC 8305). Loop thread only; nothing here blocks.
#pragma once

#include "core/egress/decision.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace belljar {

struct Resolution {
    std::vector<IpAddress> addresses; // usable ones, in the order to try; empty when refused or failed
    bool refused = false;             // the policy (or decide_resolved) refuses: a denial with `reason`
    int errno_value = 0;              // otherwise, when it failed: EHOSTUNREACH for a name that does not resolve, …
    std::string reason;
};

class Outside {
public:
    static std::unique_ptr<Outside> make(boost::asio::io_context& loop, UniqueFd resolver, const EgressPolicy& policy);
    virtual ~Outside() = default;
    virtual void resolve(const Destination& destination, std::function<void(Resolution)> done) = 0;
    // Connects a non-blocking TCP socket; 0 or the errno of the last try. A host service goes to the host's 127.0.0.1, then ::1.
    virtual void dial(const std::vector<IpAddress>& addresses, std::uint16_t port,
                      std::function<void(int errno_value, UniqueFd socket, IpAddress reached)> done) = 0;
};

} // namespace belljar
