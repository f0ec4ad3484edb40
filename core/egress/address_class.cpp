#include "core/egress/address_class.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace belljar {
namespace {

using enum AddressKind;

struct Block {
    IpAddress network;
    unsigned prefix_length;
    AddressKind kind;
};

constexpr IpAddress v4(std::uint8_t a, std::uint8_t b = 0, std::uint8_t c = 0, std::uint8_t d = 0) {
    return IpAddress{{a, b, c, d}, false};
}

constexpr IpAddress v6(std::array<std::uint16_t, 8> groups) {
    IpAddress ip{{}, true};
    for (std::size_t i = 0; i < 8; ++i) {
        ip.bytes[2 * i] = static_cast<std::uint8_t>(groups[i] >> 8);
        ip.bytes[2 * i + 1] = static_cast<std::uint8_t>(groups[i] & 0xff);
    }
    return ip;
}

// The first block that holds an address decides, so the narrower ones stand first. Sources: the IANA IPv4 and IPv6
// special-purpose registries; the clouds' manuals for where their metadata services answer.
constexpr Block kBlocks[] = {
    {v4(169, 254, 169, 254), 32, Metadata}, // AWS, Azure, Google, OpenStack, …
    {v4(169, 254, 170, 2), 32, Metadata},   // AWS ECS: credentials of a task
    {v4(169, 254, 170, 23), 32, Metadata},  // AWS EKS: credentials of a pod
    {v4(100, 100, 100, 200), 32, Metadata}, // Alibaba Cloud
    {v4(168, 63, 129, 16), 32, Metadata},   // Azure wire server, in the middle of a public network
    {v4(192, 0, 0, 192), 32, Metadata},     // Oracle Cloud
    {v4(192, 0, 2), 24, Public},            // documentation, RFC 5737
    {v4(198, 51, 100), 24, Public},
    {v4(203, 0, 113), 24, Public},
    {v4(0), 32, Unspecified},
    {v4(0), 8, Reserved}, // "this network", RFC 791
    {v4(10), 8, Private}, // RFC 1918
    {v4(172, 16), 12, Private},
    {v4(192, 168), 16, Private},
    {v4(100, 64), 10, SharedCgn}, // RFC 6598
    {v4(127), 8, Loopback},
    {v4(169, 254), 16, LinkLocal},   // RFC 3927
    {v4(192, 0, 0), 24, Reserved},   // IETF protocol assignments, RFC 6890
    {v4(192, 88, 99), 24, Reserved}, // 6to4 relays, RFC 7526
    {v4(198, 18), 15, StandIn},      // benchmarking, RFC 2544: Belljar's stand-ins live there
    {v4(224), 4, Multicast},
    {v4(240), 4, Reserved}, // and the broadcast address
    {v4(0), 0, Public},
    {v6({0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254}), 128, Metadata},      // AWS
    {v6({0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23}), 128, Metadata},       // AWS EKS
    {v6({0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254}), 128, Metadata},       // Google
    {v6({0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe}), 128, Metadata}, // Oracle Cloud
    {v6({0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe}), 128, Metadata},    // OpenStack
    {v6({}), 128, Unspecified},
    {v6({0, 0, 0, 0, 0, 0, 0, 1}), 128, Loopback},
    {v6({0xfc00}), 7, Private},  // unique local, RFC 4193
    {v6({0xfec0}), 10, Private}, // site local, deprecated by RFC 3879, still routed by some
    {v6({0xfe80}), 10, LinkLocal},
    {v6({0xff00}), 8, Multicast},
    {v6({0x2001, 0xdb8}), 32, Public}, // documentation, RFC 3849
    {v6({0x2001}), 23, Reserved},      // IETF protocol assignments, RFC 2928
    {v6({0x3fff}), 20, Reserved},      // documentation, RFC 9637
    {v6({0x2000}), 3, Public},         // global unicast, RFC 4291
    {v6({}), 0, Reserved},
};

AddressKind kind_of(const IpAddress& ip) {
    for (const Block& block : kBlocks)
        if (in_network(ip, block.network, block.prefix_length)) return block.kind;
    return Reserved;
}

bool is_documentation(const IpAddress& ip) {
    return in_network(ip, v4(192, 0, 2), 24) || in_network(ip, v4(198, 51, 100), 24) ||
           in_network(ip, v4(203, 0, 113), 24) || in_network(ip, v6({0x2001, 0xdb8}), 32);
}

AddressKind kind_here(const IpAddress& ip, const std::vector<IpAddress>& own_addresses) {
    const AddressKind kind = kind_of(ip);
    if (kind == Loopback || kind == Metadata || is_documentation(ip)) return kind;
    return std::find(own_addresses.begin(), own_addresses.end(), ip) != own_addresses.end() ? OwnHost : kind;
}

bool zero(const IpAddress& ip, std::size_t from, std::size_t to) {
    return std::all_of(ip.bytes.begin() + static_cast<std::ptrdiff_t>(from),
                       ip.bytes.begin() + static_cast<std::ptrdiff_t>(to), [](std::uint8_t byte) { return byte == 0; });
}

// What an address carries: at most four readings, and the name of the wrapping.
struct Carried {
    const char* wrapping = nullptr;
    std::array<IpAddress, 4> readings;
    std::size_t count = 0;

    void add(const IpAddress& ip, std::array<std::size_t, 4> at, std::uint8_t flip = 0) {
        IpAddress inner;
        for (std::size_t i = 0; i < 4; ++i)
            inner.bytes[i] = ip.bytes[at[i]] ^ flip;
        readings[count++] = inner;
    }
};

Carried unwrap(const IpAddress& ip) {
    Carried carried;
    if (!ip.v6) return carried;
    if (in_network(ip, v6({0x64, 0xff9b}), 96)) {
        carried.wrapping = "NAT64";
        carried.add(ip, {12, 13, 14, 15});
    } else if (in_network(ip, v6({0x64, 0xff9b, 1}), 48)) {
        // RFC 8215 leaves the prefix length to the network, and with it the place of the address (RFC 6052
        // section 2.2).
        carried.wrapping = "NAT64";
        const bool cut = ip.bytes[8] == 0;
        if (cut && zero(ip, 11, 16)) carried.add(ip, {6, 7, 9, 10});
        if (cut && zero(ip, 12, 16)) carried.add(ip, {7, 9, 10, 11});
        if (cut && zero(ip, 13, 16)) carried.add(ip, {9, 10, 11, 12});
        if (!zero(ip, 12, 16) || carried.count == 0) carried.add(ip, {12, 13, 14, 15});
    } else if (in_network(ip, v6({0x2002}), 16)) {
        carried.wrapping = "6to4";
        carried.add(ip, {2, 3, 4, 5});
    } else if (in_network(ip, v6({0x2001}), 32)) {
        carried.wrapping = "Teredo"; // RFC 4380: the server, and the client with its bits turned
        carried.add(ip, {12, 13, 14, 15}, 0xff);
        carried.add(ip, {4, 5, 6, 7});
    } else if (in_network(ip, v6({0, 0, 0, 0, 0xffff}), 96)) {
        carried.wrapping = "IPv4 translation"; // RFC 2765
        carried.add(ip, {12, 13, 14, 15});
    } else if (in_network(ip, v6({}), 96) && !zero(ip, 12, 15)) {
        carried.wrapping = "the IPv4-compatible form"; // RFC 4291 section 2.5.5.1; not :: nor ::1
        carried.add(ip, {12, 13, 14, 15});
    }
    return carried;
}

struct Judged {
    AddressKind kind;
    const char* wrapping;
};

Judged judge(const IpAddress& ip, const std::vector<IpAddress>& own_addresses) {
    const Carried carried = unwrap(ip);
    if (carried.count == 0) return {kind_here(ip, own_addresses), nullptr};
    for (std::size_t i = 0; i < carried.count; ++i)
        if (const AddressKind kind = kind_here(carried.readings[i], own_addresses); kind != Public)
            return {kind, carried.wrapping};
    return {Public, carried.wrapping};
}

} // namespace

bool in_network(const IpAddress& ip, const IpAddress& network, unsigned prefix_length) {
    if (ip.v6 != network.v6 || prefix_length > (ip.v6 ? 128u : 32u)) return false;
    const std::size_t whole = prefix_length / 8;
    for (std::size_t i = 0; i < whole; ++i)
        if (ip.bytes[i] != network.bytes[i]) return false;
    const unsigned rest = prefix_length % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<std::uint8_t>(0xff << (8 - rest));
    return (ip.bytes[whole] & mask) == (network.bytes[whole] & mask);
}

AddressKind classify(const IpAddress& ip, const std::vector<IpAddress>& own_addresses) {
    return judge(ip, own_addresses).kind;
}

std::string describe(AddressKind kind) {
    switch (kind) {
    case Public:
        return "a public address";
    case Private:
        return "a private address";
    case Loopback:
        return "a loopback address";
    case LinkLocal:
        return "a link-local address";
    case Multicast:
        return "a multicast address";
    case Unspecified:
        return "the unspecified address";
    case SharedCgn:
        return "a carrier-grade NAT address";
    case StandIn:
        return "a stand-in address";
    case Metadata:
        return "a metadata address";
    case Reserved:
        return "a reserved address";
    case OwnHost:
        return "an address of this host";
    }
    return "an unknown address";
}

std::string describe(const IpAddress& ip, const std::vector<IpAddress>& own_addresses) {
    const Judged judged = judge(ip, own_addresses);
    return describe(judged.kind) + (judged.wrapping ? " (wrapped by " + std::string(judged.wrapping) + ")" : "");
}

} // namespace belljar
