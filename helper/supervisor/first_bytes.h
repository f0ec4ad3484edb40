// The check of a connection's first bytes (DESIGN: Names before addresses): on 443 they must be TLS whose server name
// is the allowed name, on 80 an HTTP/1.x head whose Host is. No I/O: the door feeds it, and lets no byte out before
// Pass.
#pragma once

#include "core/egress/client_hello.h"
#include "core/egress/decision.h"
#include "core/egress/http_head.h"

#include <span>
#include <string>
#include <variant>

namespace belljar {

class FirstBytes {
public:
    // Whether a connection to `destination` is checked: a name, on 443 or 80, not raw, no host service.
    static bool needed(const Destination& destination, bool raw);

    enum class State { More, Pass, Refused };
    FirstBytes(std::string normalised_name, std::uint16_t port);
    State feed(std::span<const std::byte> bytes);
    // When Refused: a sentence for the record, printable. "the TLS server name is evil.test, not example.net"
    const std::string& reason() const { return reason_; }
    // The reason when nothing more comes: end-of-file, or the time is up.
    std::string unfinished_reason(bool end_of_file) const;

private:
    State judge(const ClientHello& hello);
    State judge(const HttpHead& head);
    State refuse(std::string reason);

    std::string name_;
    std::variant<ClientHelloReader, HttpHeadReader> reader_;
    std::string reason_;
};

} // namespace belljar
