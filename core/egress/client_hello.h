// The server name of a TLS ClientHello (RFC 8446 §4.1.2, RFC 6066 §3), read from the first bytes of a connection: over
// as many segments and records as they come in. Strict: what two parsers could read differently is refused, so that
// what is judged is what the server sees. A second ClientHello (after HelloRetryRequest) is the server's to compare
// with the first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace belljar {

inline constexpr std::size_t kMaxClientHelloBytes = 64 * 1024;

struct ClientHello {
    std::optional<std::string> server_name; // bytes as sent, not normalised
    // An encrypted_client_hello extension is there (draft-ietf-tls-esni): server_name is then the outer one. Browsers
    // send a meaningless one (GREASE) beside the true name, so its presence alone says nothing.
    bool encrypted = false;
};

// Fed with the bytes of the stream in order; linear in what it is fed, holds at most kMaxClientHelloBytes.
class ClientHelloReader {
public:
    enum class State { More, Complete, Refused };
    State feed(std::span<const std::byte> bytes);
    State state() const { return state_; }
    const ClientHello& hello() const { return hello_; }   // when Complete
    const std::string& reason() const { return reason_; } // when Refused: "not TLS", "…"

private:
    State refuse(std::string reason);
    State take_fragment(std::span<const std::byte> fragment);
    State parse(std::span<const std::byte> body);

    State state_ = State::More;
    ClientHello hello_;
    std::string reason_;
    std::array<std::byte, 5> record_header_{};
    std::size_t header_bytes_ = 0, record_left_ = 0;
    std::vector<std::byte> handshake_;
};

} // namespace belljar
