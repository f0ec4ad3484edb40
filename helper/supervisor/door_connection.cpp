// One connection's way through the door: accepted, paired with its verdict, judged once more, connected outside, its
// first bytes judged, relayed. Every step that waits finds out afterwards whether the connection is over meanwhile.
#include "helper/supervisor/door_core.h"

#include "helper/supervisor/event_fields.h"
#include "helper/supervisor/first_bytes.h"

#include <array>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>

namespace belljar {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kMaxConnections = 4096; // at once; what comes beyond is refused and recorded
constexpr int kAcceptsPerTurn = 64;           // then the loop's other work
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::seconds kFirstBytesPatience{10};
constexpr std::size_t kMaxFirstBytes = 64 * 1024;
constexpr std::size_t kMaxHeldBytes = 16u << 20; // of all connections whose first bytes are being read

// close(2) of a socket with linger time 0 sends a reset (socket(7)): the caller sees ECONNRESET, not an orderly end.
void reset_on_close(int fd) {
    const linger at_once{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

std::optional<Endpoint> endpoint(int fd, int (*ask)(int, sockaddr*, socklen_t*) noexcept) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (ask(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return std::nullopt;
    return Endpoint::from(reinterpret_cast<const sockaddr*>(&address), length);
}

bool out_of_resources(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool same_place(const Destination& a, const Destination& b) {
    return a.name == b.name && a.ip == b.ip && a.port == b.port && a.transport == b.transport &&
           a.host_service == b.host_service;
}

} // namespace

asio::awaitable<void> DoorCore::accept(std::shared_ptr<DoorCore> self, std::shared_ptr<Socket> listener) {
    error_code error;
    for (;;) {
        co_await listener->async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
        if (error || self->closed_) co_return;
        int accept_error = 0;
        for (int i = 0; i < kAcceptsPerTurn && accept_error == 0; ++i) {
            UniqueFd inside(::accept4(listener->native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            accept_error = inside ? 0 : errno;
            if (inside) self->arrived(std::move(inside));
        }
        if (!out_of_resources(accept_error)) continue;
        asio::steady_timer pause(self->loop_, kAcceptPause);
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
        if (self->closed_) co_return;
    }
}

void DoorCore::arrived(UniqueFd inside) {
    reset_on_close(inside.get()); // until it is relayed, every way to lose it is a refusal
    const auto source = endpoint(inside.get(), &::getpeername);
    const auto original = endpoint(inside.get(), &::getsockname);
    if (!source || !original) return; // reset already
    pairing_.arrive({std::move(inside), *source, *original});
}

void DoorCore::unpaired(Pairing::Arrival arrival, const std::string& reason) {
    const Judgement judgement = judge_.judge(arrival.original, Transport::Tcp);
    const Verdict verdict{false, false, {}, reason};
    const std::string key = denial_key(judgement.destination, verdict, std::nullopt);
    if (!recorder_.repeat(key))
        recorder_.note_repeating(key, denied_egress(judgement.destination, verdict, std::nullopt));
}

void DoorCore::missed(ExpectedConnection expected) {
    if (expected.committed)
        recorder_.note(closed_egress(expected.conn, now_us(), "the connection never reached the door"));
}

void DoorCore::reset(Connection& connection) {
    if (connection.watched) {
        error_code ignored; // closing a socket that we own: nothing to report
        connection.watched->close(ignored);
    }
    connection.inside.reset();
    connection.expected.outside.reset();
}

void DoorCore::paired(ExpectedConnection expected, UniqueFd inside) {
    const auto connection = std::make_shared<Connection>();
    connection->expected = std::move(expected);
    connection->inside = std::move(inside);
    connection->since_us = now_us();
    const bool room = open_.size() < kMaxConnections;
    open_[connection->expected.conn] = connection;
    if (!room) return deny(connection, {}, fmt::format("more than {} connections at once", kMaxConnections));
    asio::co_spawn(loop_, serve(shared_from_this(), connection),
                   [self = shared_from_this(), connection](std::exception_ptr failed) {
                       // Only what the system refuses (memory, descriptors) is thrown: this one connection cannot go
                       // on, the others can.
                       if (failed && !connection->over)
                           self->finish(connection, "the system has no resources left for it");
                   });
}

// Denied after all. `egress-closed` follows where an allow stands in the record already.
void DoorCore::deny(const Held& connection, const std::string& rule, const std::string& reason) {
    const ExpectedConnection& expected = connection->expected;
    const Verdict verdict{false, false, rule, reason};
    NewEvent event = denied_egress(expected.destination, verdict, expected.process);
    if (expected.committed) {
        event.fields["conn"] = expected.conn;
        recorder_.note(std::move(event));
    } else {
        recorder_.note_repeating(denial_key(expected.destination, verdict, expected.process), std::move(event));
    }
    finish(connection, "denied: " + reason);
}

asio::awaitable<void> DoorCore::serve(std::shared_ptr<DoorCore> self, Held connection) {
    ExpectedConnection& expected = connection->expected;
    const Judgement again = self->judge_.judge(expected.original, Transport::Tcp);
    if (again.kind != Judgement::Kind::Allowed)
        co_return self->deny(connection, again.verdict.rule, again.verdict.reason);
    if (!same_place(again.destination, expected.destination))
        co_return self->deny(connection, {}, "the destination is not the one that was judged");
    const bool raw = expected.raw && again.verdict.raw;

    if (!expected.outside && !co_await find_way(self, connection, again.verdict)) co_return;
    if (!expected.committed && !self->commit(connection, again.verdict)) co_return;
    if (!expected.outside) {
        const auto reached = co_await self->dial(expected.way, expected.destination.port);
        if (connection->over) co_return;
        if (reached->errno_value != 0) co_return self->finish(connection, reached->reason);
        expected.outside = std::move(reached->socket);
        connection->reached = reached->ip;
    } else if (const auto peer = endpoint(expected.outside.get(), &::getpeername)) {
        connection->reached = peer->ip;
    }

    if (FirstBytes::needed(expected.destination, raw) && !co_await read_first_bytes(self, connection)) co_return;
    self->relay(connection);
}

// Fills in the addresses to dial; false: the connection is over.
asio::awaitable<bool> DoorCore::find_way(std::shared_ptr<DoorCore> self, Held connection, Verdict verdict) {
    ExpectedConnection& expected = connection->expected;
    if (!expected.way.addresses.empty()) co_return true;
    Resolution found = co_await self->resolve(expected.destination);
    if (connection->over) co_return false;
    if (found.refused) {
        self->deny(connection, verdict.rule, found.reason);
        co_return false;
    }
    expected.way = std::move(found);
    if (!expected.way.addresses.empty()) co_return true;
    if (expected.committed || self->commit(connection, verdict)) self->finish(connection, expected.way.reason);
    co_return false;
}

bool DoorCore::commit(const Held& connection, const Verdict& verdict) {
    ExpectedConnection& expected = connection->expected;
    if (!recorder_.commit(allowed_egress(expected.conn, expected.destination, expected.way, verdict, expected.process))) {
        finish(connection, "not in the record"); // what is not in the record does not happen
        return false;
    }
    expected.committed = true;
    return true;
}

// Reads until the first bytes are judged; false: the connection is over. Nothing goes out meanwhile.
asio::awaitable<bool> DoorCore::read_first_bytes(std::shared_ptr<DoorCore> self, Held connection) {
    const Destination& destination = connection->expected.destination;
    FirstBytes check(destination.name, destination.port);
    const auto socket = std::make_shared<Socket>(self->loop_);
    socket->assign(connection->inside.get());
    static_cast<void>(connection->inside.release()); // the descriptor object has it now
    connection->watched = socket;

    const auto late = std::make_shared<bool>(false);
    asio::steady_timer patience(self->loop_, kFirstBytesPatience);
    patience.async_wait([late, weak = std::weak_ptr(socket)](error_code stopped) {
        const auto waiting = weak.lock();
        if (stopped || !waiting) return;
        *late = true;
        error_code ignored; // nothing waits: nothing to cancel
        waiting->cancel(ignored);
    });
    struct Share { // of the bytes that are held
        std::size_t& total;
        std::size_t mine = 0;
        ~Share() { total -= mine; }
    } share{self->held_bytes_};
    const auto refuse = [&](const std::string& reason) {
        self->deny(connection, {}, reason);
        return false;
    };
    std::array<std::byte, 4096> bytes;
    error_code error;
    for (;;) {
        if (connection->over) co_return false;
        if (*late) co_return refuse(check.unfinished_reason(false));
        const ssize_t got = ::recv(socket->native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) {
            co_await socket->async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
            continue;
        }
        if (got < 0) {
            self->finish(connection, "reset by the session");
            co_return false;
        }
        if (got == 0 && connection->first.empty()) { // came and went
            self->finish(connection, "closed by the session before it sent anything");
            co_return false;
        }
        if (got == 0) co_return refuse(check.unfinished_reason(true));
        const auto part = std::span(bytes).first(static_cast<std::size_t>(got));
        connection->first.insert(connection->first.end(), part.begin(), part.end());
        share.mine += part.size();
        self->held_bytes_ += part.size();
        switch (check.feed(part)) {
        case FirstBytes::State::More:
            if (self->held_bytes_ > kMaxHeldBytes) co_return refuse("too many connections with incomplete first bytes");
            if (connection->first.size() > kMaxFirstBytes)
                co_return refuse("more than 64 KiB before a host could be read");
            continue;
        case FirstBytes::State::Refused:
            co_return refuse(check.reason());
        case FirstBytes::State::Pass:
            break;
        }
        connection->inside = UniqueFd(socket->release());
        connection->watched.reset();
        co_return true;
    }
}

void DoorCore::relay(const Held& connection) {
    const linger orderly{0, 0}; // from here on the relay passes on how each side ends
    ::setsockopt(connection->inside.get(), SOL_SOCKET, SO_LINGER, &orderly, sizeof orderly);
    connection->relaying = true;
    relays_.start(connection->expected.conn, std::move(connection->inside), std::move(connection->expected.outside),
                  std::move(connection->first), connection->counts);
}

// What Outside calls back, as something to wait for. If it never calls, the waiting coroutine goes with the callback.
asio::awaitable<Resolution> DoorCore::resolve(const Destination& destination) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void(Resolution)>(
        [this, destination](auto handler) {
            const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
            outside_.resolve(destination, [shared](Resolution found) { std::move (*shared)(std::move(found)); });
        },
        asio::use_awaitable);
}

asio::awaitable<std::shared_ptr<Reached>> DoorCore::dial(const Resolution& way, std::uint16_t port) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::shared_ptr<Reached>)>(
        [this, way, port](auto handler) {
            const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
            outside_.dial(way, port, [shared](Reached reached) {
                std::move (*shared)(std::make_shared<Reached>(std::move(reached)));
            });
        },
        asio::use_awaitable);
}

} // namespace belljar
