// The head of an HTTP/1.x request (RFC 9112 §2–5), read from the first bytes of a connection: whom it is meant for.
// Strict: what two parsers could read differently (a bare CR or LF, folded lines, a space before the colon, two Host
// lines, a NUL) is refused, so that the host which is judged is the host that the server sees.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace belljar {

inline constexpr std::size_t kMaxHttpHeadBytes = 64 * 1024;

struct HttpHead {
    std::string method;
    std::optional<std::string> host;        // the Host line's value, as sent (may carry a port)
    std::optional<std::string> target_host; // the authority of an absolute-form or CONNECT target, as sent
};

// Fed with the bytes of the stream in order; linear in what it is fed, holds at most kMaxHttpHeadBytes.
class HttpHeadReader {
public:
    enum class State { More, Complete, Refused };
    State feed(std::span<const std::byte> bytes);
    State state() const { return state_; }
    const HttpHead& head() const { return head_; }        // when Complete
    const std::string& reason() const { return reason_; } // when Refused

private:
    State refuse(std::string reason);
    State take_line(std::string_view line);
    State take_request_line(std::string_view line);

    State state_ = State::More;
    HttpHead head_;
    std::string reason_;
    std::string line_; // the line that is being read
    std::size_t total_ = 0;
    bool request_line_seen_ = false, carriage_return_ = false;
};

// The host of "host" or "host:port" as sent; nullopt when it carries user information, a port that is no number, or is
// empty.
// "[::1]:80" gives "[::1]".
std::optional<std::string_view> host_of_authority(std::string_view authority);

} // namespace belljar
