// The door's inside (door.h states what it does): what is shared by accepting, serving and ending connections. Held by
// the Door and by every coroutine that is on its way; after close_all those find their connection over and touch
// nothing any more. Loop thread only.
#pragma once

#include "helper/supervisor/door.h"
#include "helper/supervisor/pairing.h"
#include "helper/supervisor/relays.h"
#include "helper/supervisor/udp_drop.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>

namespace belljar {

class DoorCore : public std::enable_shared_from_this<DoorCore> {
public:
    DoorCore(boost::asio::io_context& loop, Judge& judge, Outside& outside, Recorder& recorder);
    void start(std::vector<Door::Socket> sockets);
    void expect(ExpectedConnection connection) { pairing_.expect(std::move(connection)); }
    std::vector<OpenConnection> connections() const;
    bool cut(std::uint64_t conn, const std::string& reason);
    void close_all(const std::string& reason);

private:
    using Socket = boost::asio::posix::stream_descriptor;

    // One connection that was paired, until its end is in the record.
    struct Connection {
        ExpectedConnection expected;
        UniqueFd inside;                 // until it is watched or relayed
        std::shared_ptr<Socket> watched; // while its first bytes are read
        std::vector<std::byte> first;    // what was read
        std::shared_ptr<RelayCounts> counts = std::make_shared<RelayCounts>();
        IpAddress reached;
        std::int64_t since_us = 0;
        bool relaying = false, over = false;
        std::string cut_reason;
    };
    using Held = std::shared_ptr<Connection>;

    // door.cpp
    void relay_ended(std::uint64_t conn, RelayEnd how);
    void finish(const Held& connection, const std::string& reason);

    // door_connection.cpp. The coroutines are static and hold the core themselves.
    static boost::asio::awaitable<void> accept(std::shared_ptr<DoorCore> self, std::shared_ptr<Socket> listener);
    void arrived(UniqueFd inside);
    void unpaired(Pairing::Arrival arrival, const std::string& reason);
    void missed(ExpectedConnection expected);
    void paired(ExpectedConnection expected, UniqueFd inside);
    static void reset(Connection& connection);
    static boost::asio::awaitable<void> serve(std::shared_ptr<DoorCore> self, Held connection);
    static boost::asio::awaitable<bool> find_way(std::shared_ptr<DoorCore> self, Held connection, Verdict verdict);
    static boost::asio::awaitable<bool> read_first_bytes(std::shared_ptr<DoorCore> self, Held connection);
    bool commit(const Held& connection, const Verdict& verdict);
    boost::asio::awaitable<Resolution> resolve(const Destination& destination);
    boost::asio::awaitable<std::shared_ptr<Reached>> dial(const Resolution& way, std::uint16_t port);
    void deny(const Held& connection, const std::string& rule, const std::string& reason);
    void relay(const Held& connection);

    boost::asio::io_context& loop_;
    Judge& judge_;
    Outside& outside_;
    Recorder& recorder_;
    Pairing pairing_;
    std::vector<std::shared_ptr<Socket>> listeners_;
    std::unique_ptr<UdpDrop> udp_;
    std::map<std::uint64_t, Held> open_;
    bool closed_ = false;
    std::size_t held_bytes_ = 0; // of connections whose first bytes are being read
    Relays relays_;              // last: its thread ends before the rest goes
};

} // namespace belljar
