// The connect broker with everything around it: a real child under a real filter on one side, a door and an outside
// that only keep what they are told on the other.
#pragma once

#include "helper/supervisor/connect_broker.h"
#include "helper/supervisor/session_recorder.h"
#include "tests/helper/supervisor/filtered_child.h"
#include "tests/helper/supervisor/memory_writer.h"
#include "tests/helper/supervisor/own_network.h"

#include <boost/asio/post.hpp>
#include <linux/netlink.h>
#include <sys/un.h>

namespace belljar {

class KeepingDoor final : public Door {
public:
    static constexpr std::size_t kOutsidesKept = 64; // a race has thousands of them, a process 1024 descriptors
    std::vector<ExpectedConnection> expected;
    void expect(ExpectedConnection connection) override {
        expected.push_back(std::move(connection));
        if (expected.size() > kOutsidesKept) expected.back().outside.reset();
    }
    std::vector<OpenConnection> connections() const override { return {}; }
    bool cut(std::uint64_t, const std::string&) override { return false; }
    void close_all(const std::string&) override {}
};

class ToldOutside final : public Outside {
public:
    Resolution resolution{.addresses = {*IpAddress::parse("203.0.113.5")}};
    int dial_errno = 0;
    int dialled = 0;
    void resolve(const Destination&, std::function<void(Resolution)> done) override { done(resolution); }
    void dial(const Resolution& way, std::uint16_t, std::function<void(Reached)> done) override {
        ++dialled;
        const IpAddress ip = way.addresses.front();
        if (dial_errno != 0) return done(Reached{dial_errno, UniqueFd(), ip, "connect: told so"});
        auto pair = make_socketpair(SOCK_STREAM);
        if (!pair) return done(Reached{EMFILE, UniqueFd(), ip, "connect: no descriptors"});
        done(Reached{0, std::move(pair->first), ip, {}});
    }
};

inline sockaddr_in in4(const char* ip, std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, ip, &address.sin_addr);
    return address;
}

template <class T>
int connect_errno(int fd, const T& address, socklen_t length = sizeof(T)) {
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0 ? 0 : errno;
}

inline UniqueFd listen_tcp(const char* ip, std::uint16_t port, int backlog = 4096) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in address = in4(ip, port);
    require(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
    require(::listen(fd.get(), backlog) == 0, "listen");
    return fd;
}

inline sockaddr_un unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path);
    return address;
}

inline UniqueFd listen_unix(const std::string& path, int type = SOCK_STREAM) {
    UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sockaddr_un address = unix_address(path);
    require(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
    require(::listen(fd.get(), 4096) == 0, "listen");
    return fd;
}

// How many connections wait to be accepted; takes them.
inline int arrivals(const UniqueFd& listener) {
    int count = 0;
    while (UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)))
        ++count;
    return count;
}

inline SessionSpec spec_allowing(std::vector<std::string> allow) {
    SessionSpec spec;
    EgressRules rules;
    rules.source = "test";
    rules.allow = std::move(allow);
    spec.egress.push_back(std::move(rules));
    return spec;
}

struct BrokerBench {
    boost::asio::io_context loop{1};
    MemoryRecord record;
    SessionRecorder recorder{loop, std::make_unique<MemoryWriter>(record)};
    Processes processes;
    DeniedCalls denied{processes, recorder};
    Judge judge;
    ToldOutside outside;
    KeepingDoor door;
    DoorRoom room;
    RecentDnsCallers dns_callers;
    SessionSockets sockets{UniqueFd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG))};
    std::unique_ptr<Notifications> notifications;
    std::unique_ptr<ConnectThreads> threads;
    std::unique_ptr<ConnectBroker> broker;

    explicit BrokerBench(FilteredChild& child, std::vector<std::string> allow = {"192.0.2.7:8080", "name.test:8080"},
                         unsigned most_threads = 64)
        : judge(*Judge::make(spec_allowing(std::move(allow)))) {
        threads = std::make_unique<ConnectThreads>(loop, most_threads);
        auto made = Notifications::make(loop, child.take_listener(), [this](const NotifiedCall& call) {
            if (call.number == SYS_connect)
                broker->connect(call);
            else
                notifications->answer(call.id, denied.deny(call));
        });
        require(made.has_value(), "listener");
        notifications = std::move(*made);
        broker = std::make_unique<ConnectBroker>(
            BrokerParts{*notifications, processes, denied, recorder, judge, outside, door, room, dns_callers, *threads},
            sockets, [this](std::uint32_t request, std::string_view name, std::span<const int> fds) {
                return as_init(request, name, fds);
            });
    }

    // What init does with ConnectUnix.
    Status as_init(std::uint32_t request, std::string_view name, std::span<const int> fds) {
        sockaddr_un address =
            unix_address(fds.size() > 1 ? "/proc/self/fd/" + std::to_string(fds[1]) : std::string(name));
        const socklen_t length =
            fds.size() > 1 ? sizeof address : static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        const int result = connect_errno(fds[0], address, length);
        boost::asio::post(loop, [this, request, result] { broker->connect_done(request, result); });
        return {};
    }

    int run(FilteredChild& child, std::chrono::seconds most = std::chrono::seconds(60)) {
        const auto until = std::chrono::steady_clock::now() + most;
        while (std::chrono::steady_clock::now() < until) {
            loop.restart();
            loop.run_for(std::chrono::milliseconds(5));
            if (const auto status = child.ended()) {
                loop.restart();
                loop.poll();
                return *status;
            }
        }
        return -1;
    }
    std::vector<NewEvent> egress(const std::string& verdict) const {
        std::vector<NewEvent> found;
        for (const NewEvent& event : record.of("egress"))
            if (event.fields["verdict"] == verdict) found.push_back(event);
        return found;
    }
};

} // namespace belljar
