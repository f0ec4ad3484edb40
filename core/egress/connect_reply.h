// What an HTTP proxy answers to CONNECT (RFC 9110 §9.3.6, RFC 9112 §4): only the head; what follows belongs to the
// connection, and must not be taken from the socket by who reads the head.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace belljar {

inline constexpr std::size_t kMaxConnectReply = 16 * 1024;

struct ConnectReply {
    std::size_t length = 0; // of the head, its empty line included
    unsigned status = 0;    // 100 to 599
    std::string reason;     // the reason phrase as sent; may be empty
    bool established() const { return status >= 200 && status < 300; }
};

enum class ConnectReplyState { More, Complete, Refused };

// Looks at all that has come so far. Refused: not HTTP/1, or a head that does not end within kMaxConnectReply.
// An interim answer (1xx) is passed over: `length` counts it along.
ConnectReplyState read_connect_reply(std::span<const std::byte> bytes, ConnectReply& reply);

} // namespace belljar
