#include "core/egress/client_hello.h"

#include <algorithm>

namespace belljar {
namespace {

constexpr unsigned kHandshakeRecord = 22, kClientHello = 1;
constexpr unsigned kServerNameExtension = 0, kEncryptedClientHello = 0xFE0D, kHostName = 0;
constexpr std::size_t kMaxFragment = 1u << 14; // RFC 8446 §5.1
constexpr std::size_t kHandshakeHeader = 4;

unsigned at(std::span<const std::byte> bytes, std::size_t i) {
    return std::to_integer<unsigned>(bytes[i]);
}

// Vectors with a length in front (RFC 8446 §3.4). Failed once, it stays failed and yields nothing.
class Fields {
public:
    explicit Fields(std::span<const std::byte> bytes) : rest_(bytes) {}
    std::span<const std::byte> take(std::size_t count) {
        if (count > rest_.size()) failed_ = true;
        if (failed_) return {};
        const auto taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    unsigned number(std::size_t bytes) {
        unsigned value = 0;
        for (const std::byte byte : take(bytes))
            value = value << 8 | std::to_integer<unsigned>(byte);
        return value;
    }
    std::span<const std::byte> vector(std::size_t length_bytes) { return take(number(length_bytes)); }
    bool failed() const { return failed_; }
    bool empty() const { return rest_.empty(); }

private:
    std::span<const std::byte> rest_;
    bool failed_ = false;
};

} // namespace

ClientHelloReader::State ClientHelloReader::refuse(std::string reason) {
    reason_ = std::move(reason);
    handshake_.clear();
    return state_ = State::Refused;
}

ClientHelloReader::State ClientHelloReader::feed(std::span<const std::byte> bytes) {
    while (state_ == State::More && !bytes.empty()) {
        if (record_left_ > 0) {
            const auto fragment = bytes.first(std::min(record_left_, bytes.size()));
            bytes = bytes.subspan(fragment.size());
            record_left_ -= fragment.size();
            take_fragment(fragment);
            continue;
        }
        record_header_[header_bytes_++] = bytes[0];
        bytes = bytes.subspan(1);
        if (at(record_header_, 0) != kHandshakeRecord)
            return refuse(handshake_.empty() ? "not TLS" : "a ClientHello with another record in its middle");
        if (header_bytes_ >= 2 && at(record_header_, 1) != 3) return refuse("not TLS");
        if (header_bytes_ < record_header_.size()) continue;
        header_bytes_ = 0;
        record_left_ = at(record_header_, 3) << 8 | at(record_header_, 4);
        if (record_left_ == 0 || record_left_ > kMaxFragment) return refuse("a TLS record of an impossible length");
    }
    return state_;
}

ClientHelloReader::State ClientHelloReader::take_fragment(std::span<const std::byte> fragment) {
    handshake_.insert(handshake_.end(), fragment.begin(), fragment.end());
    if (at(handshake_, 0) != kClientHello) return refuse("TLS, but no ClientHello");
    if (handshake_.size() < kHandshakeHeader) return state_;
    const std::size_t length = at(handshake_, 1) << 16 | at(handshake_, 2) << 8 | at(handshake_, 3);
    if (length > kMaxClientHelloBytes - kHandshakeHeader) return refuse("a ClientHello of more than 64 KiB");
    if (handshake_.size() > kHandshakeHeader + length)
        return refuse("a ClientHello with something after it in its record");
    if (handshake_.size() < kHandshakeHeader + length) return state_;
    if (record_left_ != 0) return refuse("a ClientHello with something after it in its record");
    return parse(std::span(handshake_).subspan(kHandshakeHeader));
}

ClientHelloReader::State ClientHelloReader::parse(std::span<const std::byte> body) {
    Fields hello(body);
    hello.number(2); // legacy_version
    hello.take(32);  // random
    hello.vector(1); // legacy_session_id
    hello.vector(2); // cipher_suites
    hello.vector(1); // legacy_compression_methods
    if (hello.failed()) return refuse("a malformed ClientHello");
    if (hello.empty()) return state_ = State::Complete; // no extensions at all, so no name
    Fields extensions(hello.vector(2));
    if (hello.failed() || !hello.empty()) return refuse("a malformed ClientHello");

    while (!extensions.empty()) {
        const unsigned type = extensions.number(2);
        const auto content = extensions.vector(2);
        if (extensions.failed()) return refuse("a malformed ClientHello");
        if (type == kEncryptedClientHello) hello_.encrypted = true;
        if (type != kServerNameExtension) continue;
        if (hello_.server_name) return refuse("a ClientHello with several server names");
        Fields list(content);
        Fields names(list.vector(2));
        if (list.failed() || !list.empty()) return refuse("a malformed server name");
        const unsigned name_type = names.number(1);
        const auto name = names.vector(2);
        if (names.failed() || name.empty() || name_type != kHostName) return refuse("a malformed server name");
        if (!names.empty()) return refuse("a ClientHello with several server names");
        hello_.server_name.emplace(reinterpret_cast<const char*>(name.data()), name.size());
    }
    handshake_.clear();
    return state_ = State::Complete;
}

} // namespace belljar
