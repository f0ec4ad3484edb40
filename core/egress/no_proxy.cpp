#include "core/egress/no_proxy.h"

#include "core/egress/address_class.h"
#include "core/egress/host_pattern.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace belljar {
namespace {

template <class Number>
std::optional<Number> number(std::string_view digits, Number most) {
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value > most) return std::nullopt;
    return value;
}

// Takes ":PORT" off the end: of a name, of an IPv4 address, or of an address in brackets. nullopt: no port at all.
std::optional<std::string_view> split_port(std::string_view& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos) return std::nullopt;
    const bool bracketed = colon > 0 && text[colon - 1] == ']';
    if (!bracketed && text.find(':') != colon) return std::nullopt; // an IPv6 address
    const std::string_view port = text.substr(colon + 1);
    text = text.substr(0, colon);
    return port;
}

} // namespace

std::vector<std::string> no_proxy_entries(std::string_view text) {
    constexpr std::string_view separators = ", \t\r\n";
    std::vector<std::string> entries;
    for (std::size_t start = 0; (start = text.find_first_not_of(separators, start)) != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
        entries.emplace_back(text.substr(start, end - start));
        start = end;
    }
    return entries;
}

NoProxy::NoProxy(const std::vector<std::string>& entries) {
    for (std::string_view text : entries) {
        if (text == "*") {
            everything_ = true;
            continue;
        }
        Entry entry;
        if (const auto port = split_port(text)) {
            const auto value = number<std::uint16_t>(*port, 65535);
            if (!value || *value == 0) continue;
            entry.port = *value;
        }
        std::string_view address = text.substr(0, text.find('/'));
        const std::string_view prefix = text.substr(std::min(address.size() + 1, text.size()));
        if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
        if (const auto ip = IpAddress::parse(address)) {
            const unsigned bits = ip->v6 ? 128 : 32;
            const auto length = prefix.empty() ? bits : number<unsigned>(prefix, bits);
            if (!length) continue;
            entry.network = *ip;
            entry.prefix_length = *length;
        } else {
            if (text.starts_with("*.")) text.remove_prefix(1);
            if (text.starts_with('.')) text.remove_prefix(1);
            auto name = normalise_host_name(text);
            if (!name) continue;
            entry.name = std::move(*name);
        }
        entries_.push_back(std::move(entry));
    }
}

bool NoProxy::matches(std::string_view name, const IpAddress& ip, std::uint16_t port) const {
    if (everything_) return true;
    for (const Entry& entry : entries_) {
        if (entry.port != 0 && entry.port != port) continue;
        if (name.empty()) {
            if (entry.name.empty() && in_network(ip, entry.network, entry.prefix_length)) return true;
            continue;
        }
        if (entry.name.empty() || !name.ends_with(entry.name)) continue;
        const std::size_t rest = name.size() - entry.name.size();
        if (rest == 0 || name[rest - 1] == '.') return true;
    }
    return false;
}

} // namespace belljar
