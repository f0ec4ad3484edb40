#include "helper/supervisor/inet_connect.h"

#include "helper/supervisor/event_fields.h"

#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace belljar {
namespace {

constexpr socklen_t kShortestIn6 = 24; // SIN6_LEN_RFC2133: without sin6_scope_id, which the kernel accepts

enum class TcpState { Fresh, Other };

// Not fresh: connecting, connected, listening. The kernel answers by that state then and opens nothing.
TcpState tcp_state(int fd) {
    tcp_info state{};
    socklen_t length = sizeof state;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &state, &length) != 0 || length == 0) return TcpState::Fresh;
    constexpr int kClosed = 7; // TCP_CLOSE
    return state.tcpi_state == kClosed ? TcpState::Fresh : TcpState::Other;
}

std::optional<Endpoint> own_endpoint(int fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return std::nullopt;
    return Endpoint::from(reinterpret_cast<const sockaddr*>(&address), length);
}

} // namespace

struct InetConnect::Attempt {
    NotifiedCall call;
    std::shared_ptr<CallerSocket> caller;
    Endpoint original;
    Judgement judgement;
    std::optional<ProcessIdentity> process;
    bool elsewhere = false; // in a network namespace made inside: it has no door, and no way to the session's
    std::uint64_t conn = 0;
    std::int64_t since_us = 0;
};

InetConnect::InetConnect(BrokerParts parts, std::optional<std::uint64_t> network)
    : parts_(parts), network_(network), alive_(std::make_shared<bool>(true)) {}
InetConnect::~InetConnect() {
    *alive_ = false;
}

void InetConnect::answer(const Shared& attempt, int errno_value) {
    parts_.notifications.answer(attempt->call.id, errno_value);
}

void InetConnect::deny(const Shared& attempt, const Verdict& verdict) {
    const Destination& destination = attempt->judgement.destination;
    const std::string key = denial_key(destination, verdict, attempt->process);
    if (!parts_.recorder.repeat(key))
        parts_.recorder.note_repeating(key, denied_egress(destination, verdict, attempt->process));
    answer(attempt, EACCES);
}

void InetConnect::connect(const NotifiedCall& call, CallerSocket caller) {
    auto attempt = std::make_shared<Attempt>();
    attempt->call = call;
    attempt->caller = std::make_shared<CallerSocket>(std::move(caller));
    attempt->since_us = now_us();
    CallerSocket& socket = *attempt->caller;
    attempt->elsewhere = !network_ || socket.network != network_;
    // The shapes that the kernel refuses before it looks where they lead (inet_stream_connect, tcp_v4_connect,
    // tcp_v6_connect).
    if (socket.length < sizeof(sa_family_t)) return answer(attempt, EINVAL);
    if (socket.family() == AF_UNSPEC) return answer(attempt, connect_on_behalf(socket)); // dissolves an association
    const bool stream = socket.type == SOCK_STREAM;
    const bool fits = socket.domain == AF_INET ? socket.family() == AF_INET
                                               : socket.family() == AF_INET6 || (socket.family() == AF_INET && !stream);
    if (!fits) return answer(attempt, EAFNOSUPPORT);
    if (socket.family() == AF_INET && socket.length < sizeof(sockaddr_in)) return answer(attempt, EINVAL);
    if (socket.family() == AF_INET6 && socket.length < kShortestIn6) return answer(attempt, EINVAL);
    if (socket.family() == AF_INET6 && socket.length < sizeof(sockaddr_in6))
        socket.length = sizeof(sockaddr_in6); // zeros follow
    const auto original = Endpoint::from(socket.raw(), socket.length);
    if (!original) return answer(attempt, EINVAL);
    attempt->original = *original;

    const bool tcp = stream && (socket.protocol == IPPROTO_TCP || socket.protocol == IPPROTO_MPTCP);
    attempt->judgement = parts_.judge.judge(attempt->original, tcp ? Transport::Tcp : Transport::Udp);
    if (const auto* known = parts_.processes.identify(call.tid)) attempt->process = known->identity;
    if (!tcp && socket.type != SOCK_DGRAM)
        return deny(attempt, Verdict{.reason = "only TCP leaves, and UDP only as DNS"});
    switch (attempt->judgement.kind) {
    case Judgement::Kind::Denied:
        return deny(attempt, attempt->judgement.verdict);
    case Judgement::Kind::Own:
    case Judgement::Kind::Dns:
        return tcp ? connect_plainly(attempt) : connect_datagram(attempt);
    case Judgement::Kind::Allowed:
        break;
    }
    if (!tcp) return deny(attempt, Verdict{.reason = "UDP leaves only as DNS"});
    if (attempt->elsewhere) return connect_plainly(attempt);
    if (tcp_state(socket.fd.get()) == TcpState::Other) return connect_plainly(attempt);
    return socket.blocking ? open_blocking(attempt) : open_non_blocking(attempt);
}

// The kernel's own answer, whatever it is. What may block does so elsewhere.
void InetConnect::connect_plainly(const Shared& attempt) {
    const auto finish = [this, attempt](int result) {
        if (attempt->judgement.kind == Judgement::Kind::Dns && attempt->process && !attempt->elsewhere &&
            (result == 0 || result == EINPROGRESS))
            if (const auto source = own_endpoint(attempt->caller->fd.get()))
                parts_.dns_callers.remember(*source, *attempt->process);
        answer(attempt, result);
    };
    const auto gone = [this, id = attempt->call.id] { return !parts_.notifications.waits(id); };
    if (!parts_.threads.start(attempt->caller, gone, [finish, alive = alive_](int result) {
            if (*alive) finish(result);
        }))
        answer(attempt, EAGAIN);
}

// Names a peer and never blocks.
void InetConnect::connect_datagram(const Shared& attempt) {
    const int result = connect_on_behalf(*attempt->caller);
    if (result == 0 && attempt->process && !attempt->elsewhere && attempt->original.port == 53)
        if (const auto source = own_endpoint(attempt->caller->fd.get()))
            parts_.dns_callers.remember(*source, *attempt->process);
    answer(attempt, result);
}

void InetConnect::open_blocking(const Shared& attempt) {
    parts_.outside.resolve(attempt->judgement.destination, [this, attempt, alive = alive_](Resolution resolution) {
        if (*alive) dial(attempt, resolution);
    });
}

void InetConnect::dial(const Shared& attempt, const Resolution& resolution) {
    if (!parts_.notifications.waits(attempt->call.id)) return; // killed meanwhile: nothing opened, nothing to say
    Verdict verdict = attempt->judgement.verdict;
    if (resolution.refused) {
        verdict.reason = resolution.reason;
        return deny(attempt, verdict);
    }
    const Destination& destination = attempt->judgement.destination;
    attempt->conn = parts_.recorder.next_connection();
    if (!parts_.recorder.commit(allowed_egress(attempt->conn, destination, resolution, verdict, attempt->process)))
        return answer(attempt, EACCES); // what is not in the record does not happen
    if (resolution.addresses.empty()) {
        parts_.recorder.note(closed_egress(attempt->conn, attempt->since_us, resolution.reason));
        return answer(attempt, resolution.errno_value != 0 ? resolution.errno_value : EHOSTUNREACH);
    }
    parts_.outside.dial(resolution, destination.port, [this, attempt, alive = alive_](Reached reached) {
        if (!*alive) return;
        if (reached.errno_value == 0) return enter_door(attempt, std::move(reached.socket), reached.ip);
        parts_.recorder.note(closed_egress(attempt->conn, attempt->since_us, reached.reason));
        answer(attempt, reached.errno_value);
    });
}

// The outside stands. (The door may accept the connection before it hears of it, and waits for that.)
void InetConnect::enter_door(const Shared& attempt, UniqueFd outside, const IpAddress& reached) {
    const auto abandon = [&](const char* why, int errno_value) {
        parts_.recorder.note(closed_egress(attempt->conn, attempt->since_us, why));
        answer(attempt, errno_value);
    };
    if (!parts_.notifications.waits(attempt->call.id)) return abandon("the caller is gone", ECONNABORTED);
    if (!parts_.room.has_room(attempt->judgement.destination)) return abandon("too many connections at once", EAGAIN);
    const auto held = std::make_shared<UniqueFd>(std::move(outside));
    const auto gone = [this, id = attempt->call.id] { return !parts_.notifications.waits(id); };
    const bool started =
        parts_.threads.start(attempt->caller, gone, [this, attempt, held, reached, alive = alive_](int result) {
            if (*alive) connected(attempt, result, std::move(*held), reached);
        });
    if (!started) abandon("too many connections at once", EAGAIN);
}

void InetConnect::connected(const Shared& attempt, int result, UniqueFd outside, const IpAddress& reached) {
    const auto source = own_endpoint(attempt->caller->fd.get());
    if (result != 0 || !source) {
        parts_.recorder.note(
            closed_egress(attempt->conn, attempt->since_us, "the caller's own socket could not connect"));
        return answer(attempt, result != 0 ? result : ECONNABORTED);
    }
    parts_.door.expect(ExpectedConnection{.conn = attempt->conn,
                                          .source = *source,
                                          .original = attempt->original,
                                          .destination = attempt->judgement.destination,
                                          .raw = attempt->judgement.verdict.raw,
                                          .process = attempt->process,
                                          .outside = std::move(outside),
                                          .way = {.addresses = {reached}},
                                          .committed = true});
    answer(attempt, 0);
}

void InetConnect::open_non_blocking(const Shared& attempt) {
    if (!parts_.room.has_room(attempt->judgement.destination)) return answer(attempt, EAGAIN);
    const auto gone = [this, id = attempt->call.id] { return !parts_.notifications.waits(id); };
    if (!parts_.threads.start(attempt->caller, gone, [this, attempt, alive = alive_](int result) {
            if (*alive) under_way(attempt, result);
        }))
        answer(attempt, EAGAIN);
}

void InetConnect::under_way(const Shared& attempt, int result) {
    const auto source = own_endpoint(attempt->caller->fd.get());
    if ((result == 0 || result == EINPROGRESS) && source)
        parts_.door.expect(ExpectedConnection{.conn = parts_.recorder.next_connection(),
                                              .source = *source,
                                              .original = attempt->original,
                                              .destination = attempt->judgement.destination,
                                              .raw = attempt->judgement.verdict.raw,
                                              .process = attempt->process,
                                              .outside = {},
                                              .way = {},
                                              .committed = false});
    answer(attempt, result);
}

} // namespace belljar
