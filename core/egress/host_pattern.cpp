#include "core/egress/host_pattern.h"

#include "core/egress/address_class.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace belljar {
namespace {

constexpr std::size_t kLongestPattern = 1100; // a name of U-labels, a port and what is around them

tl::unexpected<Error> odd(std::string_view text, std::string why, std::string next = {}) {
    return failure(fmt::format("host pattern '{}'", visible(text.substr(0, 120))), std::move(why), std::move(next));
}

// Decimal digits and nothing else: no sign, no leading zero.
std::optional<unsigned> decimal(std::string_view text, unsigned most) {
    if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text[0] == '-' || value > most) return std::nullopt;
    return value;
}

// The pattern cut into its parts: HOST[/PREFIX][:PORT[/raw]].
struct Parts {
    std::string_view host;
    bool bracketed = false;
    std::optional<std::string_view> prefix, port;
};

Result<Parts> cut(std::string_view text) {
    Parts parts;
    std::string_view rest;
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return odd(text, "'[' without ']'");
        parts.bracketed = true;
        parts.host = text.substr(1, close - 1);
        rest = text.substr(close + 1);
        if (!rest.empty() && rest[0] != ':' && rest[0] != '/')
            return odd(text, "only ':PORT' or '/PREFIX' may follow ']'");
    } else {
        const std::size_t end = std::min(text.find_first_of(":/"), text.size());
        parts.host = text.substr(0, end);
        rest = text.substr(end);
    }
    if (rest.starts_with('/')) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        parts.prefix = rest.substr(1, end - 1);
        rest = rest.substr(end);
    }
    if (rest.starts_with(':')) parts.port = rest.substr(1);
    return parts;
}

Status read_port(std::string_view text, std::string_view port, HostPattern& pattern) {
    if (port == "*") {
        pattern.ports = HostPattern::Ports::Any;
        return {};
    }
    if (port.ends_with("/raw")) {
        pattern.raw = true;
        port.remove_suffix(4);
    }
    const auto number = decimal(port, 65535);
    if (!number || *number == 0) return odd(text, "the port is not a number from 1 to 65535, nor '*'");
    if (pattern.raw && *number != 443 && *number != 80)
        return odd(text, "'/raw' waives a check that only ports 443 and 80 have",
                   "leave '/raw' out: other ports carry anything");
    pattern.ports = HostPattern::Ports::One;
    pattern.port = static_cast<std::uint16_t>(*number);
    return {};
}

IpAddress masked(const IpAddress& ip, unsigned prefix_length) {
    IpAddress network = ip;
    for (std::size_t bit = prefix_length; bit < (ip.v6 ? 128u : 32u); ++bit)
        network.bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80u >> (bit % 8)));
    return network;
}

Status read_network(std::string_view text, const Parts& parts, const IpAddress& ip, HostPattern& pattern) {
    pattern.kind = HostPattern::Kind::Network;
    const bool mapped = parts.bracketed && !ip.v6; // written as ::ffff:a.b.c.d: the prefix counts the 96 bits before it
    const unsigned bits = ip.v6 ? 128 : 32;
    pattern.prefix_length = bits;
    if (parts.prefix) {
        const auto number = decimal(*parts.prefix, mapped ? 128 : bits);
        if (!number)
            return odd(text, fmt::format("the prefix length is not a number from 0 to {}", mapped ? 128 : bits));
        if (mapped && *number < 96)
            return odd(text, "a prefix shorter than the IPv4-mapped range", "write IPv4 networks as such");
        pattern.prefix_length = mapped ? *number - 96 : *number;
    }
    pattern.network = masked(ip, pattern.prefix_length);
    if (pattern.network != ip) {
        const std::string network = ip.v6 ? "[" + pattern.network.text() + "]" : pattern.network.text();
        return odd(text, "the address has bits beyond its prefix",
                   fmt::format("write '{}/{}' for the network", network, pattern.prefix_length));
    }
    const bool loopback = ip.v6 ? ip.text() == "::1" : ip.bytes[0] == 127 && pattern.prefix_length >= 8;
    if (loopback)
        return odd(text, "loopback is the session's own", "write 'host:PORT' for a service on the host's loopback");
    return {};
}

Status read_name(std::string_view text, std::string_view host, HostPattern& pattern) {
    pattern.kind = HostPattern::Kind::Name;
    if (host.starts_with("*.")) {
        pattern.kind = HostPattern::Kind::Subdomains;
        host.remove_prefix(2);
    }
    if (host.find('*') != std::string_view::npos)
        return odd(text, "'*' stands only at the front, as a whole label",
                   "write '*.name' for the subdomains of a name");
    auto name = normalise_host_name(host);
    if (!name) return odd(text, name.error().why, name.error().next);
    pattern.name = std::move(*name);
    if (pattern.kind == HostPattern::Kind::Subdomains && pattern.name.find('.') == std::string::npos)
        return odd(text, "allows everything below a top-level domain", "name the domain: '*.example.com'");
    if (pattern.name == "localhost" || pattern.name.ends_with(".localhost"))
        return odd(text, "'localhost' is the session's own", "write 'host:PORT' for a service on the host's loopback");
    if (pattern.name == "host") {
        if (pattern.kind != HostPattern::Kind::Name || pattern.ports != HostPattern::Ports::One || pattern.raw)
            return odd(text, "'host' stands for this machine's loopback and needs one port", "write 'host:PORT'");
        pattern.kind = HostPattern::Kind::HostService;
        pattern.name.clear();
    }
    return {};
}

} // namespace

Result<HostPattern> HostPattern::parse(std::string_view text, bool everything_allowed) {
    if (text.empty()) return odd(text, "empty");
    if (text.size() > kLongestPattern) return odd(text, "too long for a host");
    if (std::any_of(text.begin(), text.end(),
                    [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }))
        return odd(text, "a space or control character");
    HostPattern pattern;
    pattern.text = std::string(text);
    if (text == "*") {
        if (!everything_allowed) return odd(text, "allows every host", "name the hosts, or use default = \"observe\"");
        pattern.kind = Kind::Everything;
        pattern.ports = Ports::Any;
        return pattern;
    }
    if (text.find("://") != std::string_view::npos)
        return odd(text, "a URL", "write the host alone, with ':PORT' where it needs one");
    if (text.find('@') != std::string_view::npos)
        return odd(text, "a user name before the host", "write the host alone");
    const auto parts = cut(text);
    if (!parts) return tl::unexpected(parts.error());
    if (parts->port) {
        // Two colons: an IPv6 address without its brackets, in which no one can tell the port from the last group.
        if (!parts->bracketed && parts->port->find(':') != std::string_view::npos)
            return odd(text, "more than one ':'", "write IPv6 addresses in brackets: '[2001:db8::1]:443'");
        if (Status read = read_port(text, *parts->port, pattern); !read) return tl::unexpected(read.error());
    }
    const auto ip = IpAddress::parse(parts->host);
    const bool written_as_v6 = parts->host.find(':') != std::string_view::npos;
    if (parts->bracketed && (!ip || !written_as_v6)) return odd(text, "no IPv6 address between the brackets");
    if (ip) {
        if (Status read = read_network(text, *parts, *ip, pattern); !read) return tl::unexpected(read.error());
        return pattern;
    }
    if (parts->prefix) return odd(text, "only an address has a path or prefix after '/'", "write the host alone");
    if (Status read = read_name(text, parts->host, pattern); !read) return tl::unexpected(read.error());
    return pattern;
}

bool HostPattern::matches_port(std::uint16_t wanted) const {
    switch (ports) {
    case Ports::Web:
        return wanted == 443 || wanted == 80;
    case Ports::Any:
        return true;
    case Ports::One:
        return wanted == port;
    }
    return false;
}

bool HostPattern::matches_name(std::string_view wanted) const {
    switch (kind) {
    case Kind::Name:
        return wanted == name;
    case Kind::Subdomains:
        return wanted.size() > name.size() + 1 && wanted.ends_with(name) &&
               wanted[wanted.size() - name.size() - 1] == '.';
    case Kind::Everything:
        return !wanted.empty();
    case Kind::Network:
    case Kind::HostService:
        return false;
    }
    return false;
}

bool HostPattern::matches_address(const IpAddress& ip) const {
    switch (kind) {
    case Kind::Network:
        return in_network(ip, network, prefix_length);
    case Kind::Everything:
        return true;
    case Kind::Name:
    case Kind::Subdomains:
    case Kind::HostService:
        return false;
    }
    return false;
}

} // namespace belljar
