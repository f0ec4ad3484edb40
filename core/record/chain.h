// The hash chain and the seal, as pure functions (docs/record.md has them in words, and a few lines of Python that do
// the same). SHA-256: FIPS 180-4; Ed25519: RFC 8032; both from libsodium.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belljar {

using Hash = std::array<unsigned char, 32>;
using PublicKey = std::array<unsigned char, 32>;
using Signature = std::array<unsigned char, 64>;

// SHA-256(tag ‖ session id ‖ sequence ‖ previous hash ‖ bytes). Each string is preceded by its length, and lengths and
// numbers are 8 bytes, big-endian, so that no two different inputs give the same text. Event 1 follows 32 zero bytes.
Hash event_hash(std::string_view session_id, std::uint64_t sequence, const Hash& previous, std::string_view bytes);

// What the seal signs: tag ‖ session id ‖ count ‖ hash of the last event, encoded the same way.
std::string seal_message(std::string_view session_id, std::uint64_t count, const Hash& head);
bool seal_holds(std::string_view session_id, std::uint64_t count, const Hash& head, const Signature& signature,
                const PublicKey& key);

std::string to_hex(const unsigned char* bytes, std::size_t size);
template <std::size_t N>
std::string to_hex(const std::array<unsigned char, N>& bytes) {
    return to_hex(bytes.data(), N);
}
// Lower-case hexadecimal of exactly 32 bytes.
std::optional<PublicKey> key_from_hex(std::string_view text);

} // namespace belljar
