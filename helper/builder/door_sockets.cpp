#include "helper/builder/door_sockets.h"

#include <arpa/inet.h>
#include <cerrno>
#include <fmt/format.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace belljar {
namespace {

constexpr int kBacklog = 4096;
constexpr std::uint16_t kDnsPort = 53;

Status set(int fd, int level, int option, int value, const char* name) {
    if (::setsockopt(fd, level, option, &value, sizeof value) != 0) return system_failure(fmt::format("set {}", name));
    return {};
}

struct Kind {
    int family, type;
    bool loopback = false;    // bound to the loopback address, else to any
    bool transparent = false; // takes what names other addresses, and says which
    bool packet_info = false; // a DNS datagram socket: answers from the address that was asked
};

Result<UniqueFd> open_socket(const Kind& kind, std::uint16_t port, std::uint32_t mark) {
    UniqueFd fd(::socket(kind.family, kind.type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return system_failure("open a socket of the door");
    const bool v6 = kind.family == AF_INET6;
    const auto options = [&]() -> Status {
        if (Status done = set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR"); !done) return done;
        if (v6)
            if (Status done = set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1, "IPV6_V6ONLY"); !done) return done;
        if (kind.transparent) {
            if (Status done = v6 ? set(fd.get(), IPPROTO_IPV6, IPV6_TRANSPARENT, 1, "IPV6_TRANSPARENT")
                                 : set(fd.get(), IPPROTO_IP, IP_TRANSPARENT, 1, "IP_TRANSPARENT"); !done)
                return done;
            if (kind.type == SOCK_DGRAM)
                if (Status done = v6 ? set(fd.get(), IPPROTO_IPV6, IPV6_RECVORIGDSTADDR, 1, "IPV6_RECVORIGDSTADDR")
                                     : set(fd.get(), IPPROTO_IP, IP_RECVORIGDSTADDR, 1, "IP_RECVORIGDSTADDR"); !done)
                    return done;
        }
        if (kind.packet_info) {
            if (Status done = v6 ? set(fd.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, 1, "IPV6_RECVPKTINFO")
                                 : set(fd.get(), IPPROTO_IP, IP_PKTINFO, 1, "IP_PKTINFO"); !done)
                return done;
            return set(fd.get(), SOL_SOCKET, SO_MARK, static_cast<int>(mark), "SO_MARK");
        }
        return {};
    }();
    if (!options) return tl::unexpected(options.error());
    sockaddr_storage address{};
    socklen_t length = 0;
    if (v6) {
        auto* in6 = reinterpret_cast<sockaddr_in6*>(&address);
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(port);
        in6->sin6_addr = kind.loopback ? in6addr_loopback : in6addr_any;
        length = sizeof *in6;
    } else {
        auto* in4 = reinterpret_cast<sockaddr_in*>(&address);
        in4->sin_family = AF_INET;
        in4->sin_port = htons(port);
        in4->sin_addr.s_addr = htonl(kind.loopback ? INADDR_LOOPBACK : INADDR_ANY);
        length = sizeof *in4;
    }
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return system_failure(fmt::format("bind the door to port {}", port));
    if (kind.type == SOCK_STREAM && ::listen(fd.get(), kBacklog) != 0) return system_failure("listen at the door");
    return fd;
}

Result<std::uint16_t> port_of(int fd) {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return system_failure("read the door's port");
    return ntohs(address.sin_port);
}

} // namespace

Result<DoorSockets> open_door_sockets(const std::vector<std::uint16_t>& host_services, std::uint32_t mark) {
    DoorSockets door;
    const auto add = [&](link::Role role, const Kind& kind, std::uint16_t port) -> Status {
        auto fd = open_socket(kind, port, mark);
        if (!fd) {
            const bool no_ipv6 = kind.family == AF_INET6 && (fd.error().errno_value == EAFNOSUPPORT || fd.error().errno_value == EADDRNOTAVAIL);
            return no_ipv6 ? Status() : tl::unexpected(fd.error());
        }
        door.sockets.push_back({role, port, std::move(*fd)});
        return {};
    };
    const Kind tcp4{.family = AF_INET, .type = SOCK_STREAM, .transparent = true}, tcp6{.family = AF_INET6, .type = SOCK_STREAM, .transparent = true};
    const Kind udp4{.family = AF_INET, .type = SOCK_DGRAM, .transparent = true}, udp6{.family = AF_INET6, .type = SOCK_DGRAM, .transparent = true};
    const Kind dns4{.family = AF_INET, .type = SOCK_DGRAM, .packet_info = true}, dns6{.family = AF_INET6, .type = SOCK_DGRAM, .packet_info = true};
    const Kind local4{.family = AF_INET, .type = SOCK_STREAM, .loopback = true}, local6{.family = AF_INET6, .type = SOCK_STREAM, .loopback = true};
    using enum link::Role;
    if (Status done = add(DoorTcp4, tcp4, 0); !done) return tl::unexpected(done.error());
    const auto port = port_of(door.sockets.front().fd.get());
    if (!port) return tl::unexpected(port.error());
    door.port = *port;
    door.sockets.front().port = *port;
    const struct { link::Role role; const Kind& kind; std::uint16_t port; } rest[] = {
        {DoorTcp6, tcp6, *port}, {DoorUdp4, udp4, *port}, {DoorUdp6, udp6, *port}, {DnsUdp4, dns4, kDnsPort}, {DnsUdp6, dns6, kDnsPort},
        {DnsTcp4, {.family = AF_INET, .type = SOCK_STREAM}, kDnsPort}, {DnsTcp6, {.family = AF_INET6, .type = SOCK_STREAM}, kDnsPort}};
    for (const auto& each : rest)
        if (Status done = add(each.role, each.kind, each.port); !done) return tl::unexpected(done.error());
    for (const std::uint16_t service : host_services) {
        if (Status done = add(HostService4, local4, service); !done) return tl::unexpected(done.error());
        if (Status done = add(HostService6, local6, service); !done) return tl::unexpected(done.error());
    }
    UniqueFd diag(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
    if (!diag) return system_failure("open a socket for sock_diag");
    door.sockets.push_back({SockDiag, 0, std::move(diag)});
    return door;
}

} // namespace belljar
