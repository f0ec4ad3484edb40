#include "core/registries/address.h"

#include "core/egress/host_pattern.h"
#include "core/egress/ip_address.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

tl::unexpected<Error> odd(std::string_view shown, std::string why) {
    return failure(fmt::format("'{}'", visible(shown.substr(0, 200))), std::move(why), "write an http:// or https:// URL");
}

bool is_loopback(std::string_view host) {
    if (host == "localhost" || host.ends_with(".localhost") || host == "[::1]") return true;
    const auto ip = IpAddress::parse(host);
    return ip && !ip->v6 && ip->bytes[0] == 127;
}

} // namespace

Result<RegistryAddress> parse_registry_address(std::string_view text, bool bare) {
    constexpr std::string_view sparse = "sparse+";
    std::string_view rest = text;
    std::string_view prefix = rest.starts_with(sparse) ? rest.substr(0, sparse.size()) : std::string_view();
    rest.remove_prefix(prefix.size());
    std::string scheme;
    if (const std::size_t end = rest.find("://"); end != std::string_view::npos) {
        for (const char c : rest.substr(0, end))
            scheme += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        rest.remove_prefix(end + 3);
    } else if (bare) {
        scheme = "https";
    }
    // Tools differ in which part of these is the host, and the others may be a password: none of it is shown.
    if (text.find('\\') != std::string_view::npos)
        return failure("a URL with a backslash", "tools do not agree on its host", "write '/' for it, in a password %5C");
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    if (rest.find('@', end) != std::string_view::npos)
        return failure("a URL with '@' behind its host", "it may be a password with a '/' in it",
                       "write %2F for a '/' in a password, and %40 for an '@' in a path");
    std::string_view host = rest.substr(0, end), path = rest.substr(end);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
    path = path.substr(0, path.find_first_of("?#"));
    const bool encrypted = scheme == "https";
    std::string_view name = host, port;
    const std::size_t bracket = host.rfind(']'), colon = host.rfind(':');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
        name = host.substr(0, colon);
        port = host.substr(colon + 1);
    }
    // Errors show the host's name alone: what is odd here may be a password with a '/' in it.
    if (scheme != "http" && scheme != "https") return odd(name, "not the URL of a registry");
    if (const std::string all = fmt::format("{}{}", host, path); visible(all) != all || all.find(' ') != std::string::npos)
        return odd(name, "odd characters in a URL");
    if (port == (encrypted ? "443" : "80")) port = {};
    RegistryAddress address;
    address.url = fmt::format("{}{}://{}{}", prefix, scheme, host, path);
    if (is_loopback(name))
        address.host = fmt::format("host:{}", !port.empty() ? port : encrypted ? "443" : "80");
    else
        address.host = port.empty() ? std::string(name) : fmt::format("{}:{}", name, port);
    const auto pattern = HostPattern::parse(address.host);
    using Kind = HostPattern::Kind;
    if (!pattern) return odd(name, pattern.error().why);
    const bool single = pattern->kind == Kind::Network && pattern->prefix_length == (pattern->network.v6 ? 128u : 32u);
    if (pattern->kind != Kind::Name && pattern->kind != Kind::HostService && !single)
        return odd(name, "it names no single host");
    if (pattern->ports == HostPattern::Ports::Any || pattern->raw) return odd(name, "the port is not a number");
    return address;
}

} // namespace belljar
