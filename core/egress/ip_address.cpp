#include "core/egress/ip_address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>

namespace belljar {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

IpAddress fold(const std::array<std::uint8_t, 16>& bytes) {
    IpAddress ip;
    if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin())) {
        std::copy(bytes.begin() + 12, bytes.end(), ip.bytes.begin());
        return ip;
    }
    ip.bytes = bytes;
    ip.v6 = true;
    return ip;
}

} // namespace

IpAddress IpAddress::v4(std::uint32_t host_order) {
    IpAddress ip;
    for (int i = 0; i < 4; ++i)
        ip.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
    return ip;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
    // inet_pton(3) takes a C string: a NUL inside would cut the text and pass the rest unread.
    char buffer[INET6_ADDRSTRLEN] = {};
    if (text.empty() || text.size() >= sizeof buffer || text.find('\0') != std::string_view::npos) return std::nullopt;
    text.copy(buffer, text.size());
    in_addr v4{};
    if (::inet_pton(AF_INET, buffer, &v4) == 1) return from(v4);
    in6_addr v6{};
    if (::inet_pton(AF_INET6, buffer, &v6) == 1) return from(v6);
    return std::nullopt;
}

IpAddress IpAddress::from(const in_addr& address) {
    return v4(ntohl(address.s_addr));
}

IpAddress IpAddress::from(const in6_addr& address) {
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &address, bytes.size());
    return fold(bytes);
}

std::uint32_t IpAddress::v4_value() const {
    if (v6) return 0;
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::string IpAddress::text() const {
    char buffer[INET6_ADDRSTRLEN] = {};
    ::inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), buffer, sizeof buffer);
    return buffer;
}

std::optional<Endpoint> Endpoint::from(const sockaddr* address, socklen_t length) {
    // Copied out before it is read: the bytes may come from anywhere, aligned or not.
    sa_family_t family = AF_UNSPEC;
    if (address == nullptr || length < offsetof(sockaddr, sa_family) + sizeof family) return std::nullopt;
    std::memcpy(&family, reinterpret_cast<const char*>(address) + offsetof(sockaddr, sa_family), sizeof family);
    if (family == AF_INET && length >= sizeof(sockaddr_in)) {
        sockaddr_in in{};
        std::memcpy(&in, address, sizeof in);
        return Endpoint{IpAddress::from(in.sin_addr), ntohs(in.sin_port)};
    }
    if (family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in{};
        std::memcpy(&in, address, sizeof in);
        return Endpoint{IpAddress::from(in.sin6_addr), ntohs(in.sin6_port)};
    }
    return std::nullopt;
}

socklen_t Endpoint::to(sockaddr_storage& storage, bool as_v6) const {
    storage = {};
    if (!ip.v6 && !as_v6) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        std::memcpy(&in.sin_addr, ip.bytes.data(), 4);
        std::memcpy(&storage, &in, sizeof in);
        return sizeof in;
    }
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    std::array<std::uint8_t, 16> bytes = ip.bytes;
    if (!ip.v6) {
        std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin());
        std::copy(ip.bytes.begin(), ip.bytes.begin() + 4, bytes.begin() + 12);
    }
    std::memcpy(&in.sin6_addr, bytes.data(), bytes.size());
    std::memcpy(&storage, &in, sizeof in);
    return sizeof in;
}

std::string Endpoint::text() const {
    return (ip.v6 ? "[" + ip.text() + "]" : ip.text()) + ":" + std::to_string(port);
}

} // namespace belljar
