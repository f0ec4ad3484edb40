#include "core/record/chain.h"

#include <sodium.h>

namespace belljar {
namespace {

constexpr std::string_view kEventTag = "belljar event 1";
constexpr std::string_view kSealTag = "belljar seal 1";

std::array<unsigned char, 8> big_endian(std::uint64_t value) {
    std::array<unsigned char, 8> out{};
    for (std::size_t i = 8; i-- > 0; value >>= 8)
        out[i] = static_cast<unsigned char>(value);
    return out;
}

// Feeds a sink (a hash state, a string) with the unambiguous encoding.
template <class Sink>
struct Encoder {
    Sink sink;
    void number(std::uint64_t value) {
        const auto bytes = big_endian(value);
        sink(bytes.data(), bytes.size());
    }
    void text(std::string_view value) {
        number(value.size());
        sink(reinterpret_cast<const unsigned char*>(value.data()), value.size());
    }
    void hash(const Hash& value) { sink(value.data(), value.size()); }
};
template <class Sink>
Encoder(Sink) -> Encoder<Sink>;

} // namespace

Hash event_hash(std::string_view session_id, std::uint64_t sequence, const Hash& previous, std::string_view bytes) {
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    Encoder encode{[&](const unsigned char* data, std::size_t size) { crypto_hash_sha256_update(&state, data, size); }};
    encode.text(kEventTag);
    encode.text(session_id);
    encode.number(sequence);
    encode.hash(previous);
    encode.text(bytes);
    Hash out;
    crypto_hash_sha256_final(&state, out.data());
    return out;
}

std::string seal_message(std::string_view session_id, std::uint64_t count, const Hash& head) {
    std::string out;
    Encoder encode{
        [&](const unsigned char* data, std::size_t size) { out.append(reinterpret_cast<const char*>(data), size); }};
    encode.text(kSealTag);
    encode.text(session_id);
    encode.number(count);
    encode.hash(head);
    return out;
}

bool seal_holds(std::string_view session_id, std::uint64_t count, const Hash& head, const Signature& signature,
                const PublicKey& key) {
    const std::string message = seal_message(session_id, count, head);
    return crypto_sign_verify_detached(signature.data(), reinterpret_cast<const unsigned char*>(message.data()),
                                       message.size(), key.data()) == 0;
}

std::string to_hex(const unsigned char* bytes, std::size_t size) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string out;
    out.reserve(size * 2);
    for (std::size_t i = 0; i < size; ++i) {
        out += kDigits[bytes[i] >> 4];
        out += kDigits[bytes[i] & 15];
    }
    return out;
}

std::optional<PublicKey> key_from_hex(std::string_view text) {
    PublicKey key{};
    if (text.size() != key.size() * 2) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
        if (!digit && !letter) return std::nullopt;
        const auto value = static_cast<unsigned char>(digit ? c - '0' : c - 'a' + 10);
        key[i / 2] = static_cast<unsigned char>((key[i / 2] << 4) | value);
    }
    return key;
}

} // namespace belljar
