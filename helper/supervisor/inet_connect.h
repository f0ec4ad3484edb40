// connect() to an IP address, decided before a socket opens and made on the caller's behalf. Why not let the call go
// on: the kernel would read the address again, and a thread inside flips it in between (thousands of 20,000 tries went
// through). What comes from where:
//   own loopback, DNS        the connection is made, unrecorded
//   denied                   EACCES and an `egress` event
//   allowed, blocking        resolved, committed as `allowed`, dialled outside; only then connected to the door, and
//   the real
//                            errno of the outside is the caller's
//   allowed, non-blocking    connected to the door at once (a held event loop would freeze); the door resolves and
//   commits
//   from a network namespace that was made inside (workspace.nested)
//                            the connection is made there, unrecorded, unless it is denied: that namespace has no door
// Loop thread only.
#pragma once

#include "helper/supervisor/broker_parts.h"
#include "helper/supervisor/caller_socket.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace belljar {

class InetConnect {
public:
    // `network`: the session's network namespace (network_of); unknown, nothing is dialled.
    InetConnect(BrokerParts parts, std::optional<std::uint64_t> network);
    ~InetConnect();
    // Answers the call, now or later. The socket is of family AF_INET or AF_INET6.
    void connect(const NotifiedCall& call, CallerSocket caller);

private:
    struct Attempt;
    using Shared = std::shared_ptr<Attempt>;

    void connect_plainly(const Shared& attempt);
    void connect_datagram(const Shared& attempt);
    void open_blocking(const Shared& attempt);
    void dial(const Shared& attempt, const Resolution& resolution);
    void enter_door(const Shared& attempt, UniqueFd outside, const IpAddress& reached);
    void open_non_blocking(const Shared& attempt);
    void under_way(const Shared& attempt, int result);
    void connected(const Shared& attempt, int result, UniqueFd outside, const IpAddress& reached);
    void deny(const Shared& attempt, const Verdict& verdict);
    void answer(const Shared& attempt, int errno_value);

    BrokerParts parts_;
    std::optional<std::uint64_t> network_;
    std::shared_ptr<bool> alive_;
};

} // namespace belljar
