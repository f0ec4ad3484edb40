#include "core/egress/http_head.h"

#include <algorithm>

namespace belljar {
namespace {

// RFC 9110 §5.6.2
bool is_token(std::string_view text) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kMarks.find(c) != kMarks.npos;
    });
}

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
    return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                      [](char c, char l) { return (c >= 'A' && c <= 'Z' ? char(c + 32) : c) == l; });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

} // namespace

std::optional<std::string_view> host_of_authority(std::string_view authority) {
    if (authority.find('@') != authority.npos) return std::nullopt;
    std::string_view host = authority;
    if (authority.starts_with('[')) {
        const auto close = authority.find(']');
        if (close == authority.npos) return std::nullopt;
        host = authority.substr(0, close + 1);
    } else {
        host = authority.substr(0, authority.find(':'));
    }
    std::string_view port = authority.substr(host.size());
    if (!port.empty()) {
        if (port.front() != ':') return std::nullopt;
        port.remove_prefix(1);
        if (port.size() > 5 || !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }))
            return std::nullopt;
    }
    if (host.empty()) return std::nullopt;
    return host;
}

HttpHeadReader::State HttpHeadReader::refuse(std::string reason) {
    reason_ = std::move(reason);
    line_.clear();
    return state_ = State::Refused;
}

HttpHeadReader::State HttpHeadReader::feed(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
        if (state_ != State::More) return state_;
        if (++total_ > kMaxHttpHeadBytes) return refuse("an HTTP head of more than 64 KiB");
        const char c = static_cast<char>(byte);
        const auto value = std::to_integer<unsigned char>(byte);
        if (carriage_return_) {
            if (c != '\n') return refuse("an HTTP head with a bare CR");
            carriage_return_ = false;
            take_line(line_);
            line_.clear();
            continue;
        }
        if (c == '\r') {
            carriage_return_ = true;
            continue;
        }
        if (c == '\n') return refuse("an HTTP head with a bare LF");
        const bool control = (value < 0x20 && c != '\t') || value == 0x7F;
        const bool plain = value >= 0x20 && value < 0x7F;
        if (!request_line_seen_ && !plain) return refuse("not HTTP");
        if (control) return refuse("an HTTP head with a control character");
        line_ += c;
    }
    return state_;
}

HttpHeadReader::State HttpHeadReader::take_line(std::string_view line) {
    if (!request_line_seen_) {
        request_line_seen_ = true;
        return take_request_line(line);
    }
    if (line.empty()) return state_ = State::Complete;
    if (line.front() == ' ' || line.front() == '\t') return refuse("an HTTP head with a folded line");
    const auto colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon))) return refuse("an HTTP head with a malformed line");
    if (!equals_ignoring_case(line.substr(0, colon), "host")) return state_;
    if (head_.host) return refuse("an HTTP head with several Host lines");
    head_.host.emplace(trimmed(line.substr(colon + 1)));
    return state_;
}

HttpHeadReader::State HttpHeadReader::take_request_line(std::string_view line) {
    if (line == "PRI * HTTP/2.0") return refuse("HTTP/2 without TLS, whose host cannot be read from the first bytes");
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == line.npos || first == last) return refuse("not HTTP");
    const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                           version = line.substr(last + 1);
    if (!is_token(method) || target.empty() || target.find(' ') != target.npos) return refuse("not HTTP");
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse("not HTTP/1.0 or HTTP/1.1");
    head_.method = method;
    if (method == "CONNECT") {
        head_.target_host.emplace(target);
        return state_;
    }
    if (target.front() == '/' || target == "*") return state_;
    const auto scheme = target.find("://"); // absolute-form
    if (scheme == target.npos || scheme == 0 || !is_token(target.substr(0, scheme)))
        return refuse("an HTTP head with a malformed request target");
    const std::string_view rest = target.substr(scheme + 3);
    head_.target_host.emplace(rest.substr(0, rest.find_first_of("/?#")));
    return state_;
}

} // namespace belljar
