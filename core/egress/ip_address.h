// An IPv4 or IPv6 address as a value. IPv4-mapped IPv6 (::ffff:a.b.c.d, RFC 4291 2.5.5.2) is folded into IPv4 on entry, so
// that no rule can be passed by the other spelling.
#pragma once

#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <optional> // brings <compare>, which moc 6.4 cannot parse when it is named
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace belljar {

struct IpAddress {
    std::array<std::uint8_t, 16> bytes{}; // network order; IPv4 uses the first four
    bool v6 = false;

    static IpAddress v4(std::uint32_t host_order);
    static std::optional<IpAddress> parse(std::string_view text); // inet_pton(3) forms only: no octal, no short forms
    static IpAddress from(const in_addr& address);
    static IpAddress from(const in6_addr& address); // folds v4-mapped

    std::uint32_t v4_value() const; // host order; 0 for IPv6
    std::string text() const;
    auto operator<=>(const IpAddress&) const = default;
};

struct Endpoint {
    IpAddress ip;
    std::uint16_t port = 0; // host order
    // From sockaddr_in or sockaddr_in6 of at least its own size; nullopt for another family or a short length.
    static std::optional<Endpoint> from(const sockaddr* address, socklen_t length);
    // Into `storage`; with `as_v6` an IPv4 address becomes v4-mapped (for a socket of family AF_INET6). Returns the length.
    socklen_t to(sockaddr_storage& storage, bool as_v6 = false) const;
    std::string text() const; // 192.0.2.1:443, [2001:db8::1]:443
    auto operator<=>(const Endpoint&) const = default;
};

} // namespace belljar
