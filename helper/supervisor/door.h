// The door: accepts every TCP connection that the session's kernel hands over, pairs it with the verdict its connect() got,
// judges once more, and relays (splice(2)), counting bytes. A connection without a verdict is cut and recorded. UDP datagrams
// other than DNS are counted, recorded (folded) and dropped. On 443 and 80 the first bytes are judged before any byte goes out.
// Everything is called from the loop thread; relays run on a thread of their own and report back to the loop.
#pragma once

#include "helper/link/link.h"
#include "helper/supervisor/judge.h"
#include "helper/supervisor/outside.h"
#include "helper/supervisor/recorder.h"

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace belljar {

// A connection whose connect() was judged and committed as `allowed`. `source` is getsockname(2) of the caller's socket
// after its connect, which is getpeername(2) of what the door accepts.
struct ExpectedConnection {
    std::uint64_t conn = 0;
    Endpoint source, original;
    Destination destination;
    bool raw = false;
    std::optional<ProcessIdentity> process;
    UniqueFd outside;                  // connected already (a blocking caller waited for it); else the door dials
    Resolution way;                    // where the door dials when `outside` is empty (no addresses: it resolves first, and
                                       // commits the allow or the denial itself)
    bool committed = false;            // whether the `allowed` event is in the record yet
};

struct OpenConnection {
    std::uint64_t conn = 0;
    Destination destination;
    IpAddress reached;
    std::optional<ProcessIdentity> process;
    std::uint64_t bytes_sent = 0, bytes_received = 0;
    std::int64_t since_us = 0;
};

class Door {
public:
    // `sockets` are the Built message's descriptors with the roles DoorTcp*, DoorUdp*, HostService*.
    struct Socket { link::Role role; std::uint16_t port; UniqueFd fd; };
    static std::unique_ptr<Door> make(boost::asio::io_context& loop, std::vector<Socket> sockets, Judge& judge, Outside& outside,
                                      Recorder& recorder);
    virtual ~Door() = default;
    virtual void expect(ExpectedConnection connection) = 0;
    virtual std::vector<OpenConnection> connections() const = 0;
    virtual bool cut(std::uint64_t conn, const std::string& reason) = 0;
    // Ends everything: each open connection gets its egress-closed with `reason` before this returns.
    virtual void close_all(const std::string& reason) = 0;
};

// Whose UDP socket asked: what the broker saw at the connect() of a query's socket, by its source endpoint.
class DnsCallers {
public:
    virtual ~DnsCallers() = default;
    virtual std::optional<ProcessIdentity> caller(const Endpoint& source) const = 0;
};

// Answers DNS on the Built message's Dns* descriptors (RFC 1035; UDP and TCP). Lives as long as it is held.
class DnsAnswerer {
public:
    static std::unique_ptr<DnsAnswerer> make(boost::asio::io_context& loop, std::vector<Door::Socket> sockets, Judge& judge,
                                             Recorder& recorder, const DnsCallers& callers);
    virtual ~DnsAnswerer() = default;
};

} // namespace belljar
