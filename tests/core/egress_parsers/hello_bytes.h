// ClientHellos for tests, made byte by byte so that each length can lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::test {

using Bytes = std::string; // easy to add and cut

inline std::span<const std::byte> span_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

inline Bytes number(std::size_t value, std::size_t bytes) {
    Bytes out;
    for (std::size_t i = bytes; i-- > 0;)
        out += static_cast<char>(value >> (8 * i) & 0xFF);
    return out;
}
inline Bytes vec(const Bytes& content, std::size_t length_bytes) {
    return number(content.size(), length_bytes) + content;
}
inline Bytes extension(unsigned type, const Bytes& content) {
    return number(type, 2) + vec(content, 2);
}
inline Bytes server_name(const Bytes& name) {
    return extension(0, vec(number(0, 1) + vec(name, 2), 2));
}
inline Bytes grease(unsigned n) {
    return extension(0x0A0A + 0x1010 * n, {});
} // RFC 8701

// The body of a ClientHello with these extensions.
inline Bytes hello_body(const Bytes& extensions) {
    return number(0x0303, 2) + Bytes(32, 'r') + vec(Bytes(32, 's'), 1) + vec(Bytes("\x0A\x0A\x13\x01\x13\x02", 6), 2) +
           vec(Bytes(1, '\0'), 1) + vec(extensions, 2);
}
inline Bytes handshake(const Bytes& body, unsigned type = 1) {
    return number(type, 1) + vec(body, 3);
}
inline Bytes record(const Bytes& fragment, unsigned type = 22) {
    return number(type, 1) + number(0x0301, 2) + vec(fragment, 2);
}
inline Bytes client_hello(const Bytes& name) {
    return record(
        handshake(hello_body(grease(1) + server_name(name) + extension(16, Bytes("\x00\x03\x02h2", 5)) + grease(2))));
}

} // namespace belljar::test
