// Opens and closes the door: takes its listeners, answers what is open, cuts, ends everything. Each connection's own
// way is in door_connection.cpp.
#include "helper/supervisor/door.h"

#include "helper/supervisor/door_core.h"
#include "helper/supervisor/event_fields.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <sys/socket.h>

namespace belljar {
namespace {

namespace asio = boost::asio;

std::uint16_t port_of(int fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
    const auto endpoint = Endpoint::from(reinterpret_cast<const sockaddr*>(&address), length);
    return endpoint ? endpoint->port : 0;
}

std::string text(RelayEnd how) {
    switch (how) {
    case RelayEnd::Closed:
        return "closed";
    case RelayEnd::ResetInside:
        return "reset by the session";
    case RelayEnd::ResetOutside:
        return "reset by the other side";
    case RelayEnd::Cut:
        return "cut";
    case RelayEnd::Failed:
        return "the relay could not be made";
    }
    return "";
}

} // namespace

DoorCore::DoorCore(asio::io_context& loop, Judge& judge, Outside& outside, Recorder& recorder)
    : loop_(loop), judge_(judge), outside_(outside), recorder_(recorder),
      pairing_(
          loop,
          {[this](ExpectedConnection expected, UniqueFd inside) { paired(std::move(expected), std::move(inside)); },
           [this](Pairing::Arrival arrival) { unpaired(std::move(arrival), "no verdict for this connection"); },
           [this](ExpectedConnection expected) { missed(std::move(expected)); }}),
      relays_([this](std::uint64_t conn, RelayEnd how) {
          asio::post(loop_, [weak = weak_from_this(), conn, how] {
              if (const auto self = weak.lock()) self->relay_ended(conn, how);
          });
      }) {}

void DoorCore::start(std::vector<Door::Socket> sockets) {
    std::vector<UniqueFd> datagrams;
    for (Door::Socket& socket : sockets) {
        switch (socket.role) {
        case link::Role::DoorUdp4:
        case link::Role::DoorUdp6:
            judge_.close_port(port_of(socket.fd.get()));
            datagrams.push_back(std::move(socket.fd));
            continue;
        case link::Role::DoorTcp4:
        case link::Role::DoorTcp6:
            judge_.close_port(port_of(socket.fd.get()));
            break;
        case link::Role::HostService4:
        case link::Role::HostService6:
            break;
        case link::Role::DnsUdp4:
        case link::Role::DnsUdp6:
        case link::Role::DnsTcp4:
        case link::Role::DnsTcp6:
        case link::Role::SockDiag:
        case link::Role::PtyMaster:
            continue; // not the door's
        }
        auto listener = std::make_shared<Socket>(loop_);
        listener->assign(socket.fd.get());
        static_cast<void>(socket.fd.release()); // the descriptor object has it now
        listeners_.push_back(listener);
        asio::co_spawn(loop_, accept(shared_from_this(), listener), asio::detached);
    }
    udp_ = std::make_unique<UdpDrop>(loop_, std::move(datagrams), judge_, recorder_);
}

std::vector<OpenConnection> DoorCore::connections() const {
    std::vector<OpenConnection> out;
    for (const auto& [conn, each] : open_)
        if (each->expected.committed)
            out.push_back(OpenConnection{conn, each->expected.destination, each->reached, each->expected.process,
                                         each->counts->sent, each->counts->received, each->since_us});
    return out;
}

bool DoorCore::cut(std::uint64_t conn, const std::string& reason) {
    const auto found = open_.find(conn);
    if (found == open_.end()) return false;
    const Held connection = found->second;
    if (!connection->relaying) {
        finish(connection, reason);
        return true;
    }
    connection->cut_reason = reason; // its end comes back with the last counts
    relays_.cut(conn);
    return true;
}

void DoorCore::close_all(const std::string& reason) {
    if (closed_) return;
    closed_ = true;
    boost::system::error_code ignored; // closing sockets that we own: nothing to report
    for (const auto& listener : listeners_)
        listener->close(ignored);
    udp_.reset();
    pairing_.stop();
    relays_.stop();
    while (!open_.empty()) {
        const Held connection = open_.begin()->second;
        finish(connection, connection->cut_reason.empty() ? reason : connection->cut_reason);
    }
}

void DoorCore::relay_ended(std::uint64_t conn, RelayEnd how) {
    const auto found = open_.find(conn);
    if (found == open_.end()) return;
    const Held connection = found->second;
    const bool cut = how == RelayEnd::Cut && !connection->cut_reason.empty();
    finish(connection, cut ? connection->cut_reason : text(how));
}

// The connection's end, once: in the record if its beginning is. What is still held inside is reset.
void DoorCore::finish(const Held& connection, const std::string& reason) {
    if (connection->over) return;
    connection->over = true;
    reset(*connection);
    open_.erase(connection->expected.conn);
    if (!connection->expected.committed) return;
    NewEvent closed = closed_egress(connection->expected.conn, connection->since_us, reason);
    closed.fields["bytes_sent"] = connection->counts->sent.load();
    closed.fields["bytes_received"] = connection->counts->received.load();
    recorder_.note(std::move(closed));
}

namespace {

class OpenDoor final : public Door {
public:
    explicit OpenDoor(std::shared_ptr<DoorCore> core) : core_(std::move(core)) {}
    ~OpenDoor() override { core_->close_all("the session ended"); }
    void expect(ExpectedConnection connection) override { core_->expect(std::move(connection)); }
    std::vector<OpenConnection> connections() const override { return core_->connections(); }
    bool cut(std::uint64_t conn, const std::string& reason) override { return core_->cut(conn, reason); }
    void close_all(const std::string& reason) override { core_->close_all(reason); }

private:
    std::shared_ptr<DoorCore> core_;
};

} // namespace

std::unique_ptr<Door> Door::make(asio::io_context& loop, std::vector<Socket> sockets, Judge& judge, Outside& outside,
                                 Recorder& recorder) {
    auto core = std::make_shared<DoorCore>(loop, judge, outside, recorder);
    core->start(std::move(sockets));
    return std::make_unique<OpenDoor>(std::move(core));
}

} // namespace belljar
