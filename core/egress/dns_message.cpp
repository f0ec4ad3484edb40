#include "core/egress/dns_message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace belljar::dns {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kMaxNameBytes = 255, kMaxLabelBytes = 63; // RFC 1035 §2.3.4
constexpr std::uint16_t kClassInternet = 1;
constexpr unsigned kMaxAdditional = 8; // OPT, TSIG and the like; a query with more is no honest one
constexpr std::uint16_t kResponse = 0x8000, kOpcodeMask = 0x7800, kRecursionDesired = 0x0100,
                        kRecursionAvailable = 0x0080, kCheckingDisabled = 0x0010;

// Reads from the front of a span; once it has run short it stays failed and yields zeros.
class Cursor {
public:
    explicit Cursor(std::span<const std::byte> bytes) : rest_(bytes) {}
    std::uint8_t u8() {
        if (!need(1)) return 0;
        const auto value = std::to_integer<std::uint8_t>(rest_[0]);
        rest_ = rest_.subspan(1);
        return value;
    }
    std::uint16_t u16() {
        const unsigned high = u8();
        return static_cast<std::uint16_t>(high << 8 | u8());
    }
    std::span<const std::byte> take(std::size_t count) {
        if (!need(count)) return {};
        const auto taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    bool failed() const { return failed_; }
    std::size_t remaining() const { return rest_.size(); }

private:
    bool need(std::size_t count) {
        if (count > rest_.size()) failed_ = true;
        return !failed_;
    }
    std::span<const std::byte> rest_;
    bool failed_ = false;
};

void put16(Message& out, unsigned value) {
    out.push_back(static_cast<std::byte>(value >> 8 & 0xFF));
    out.push_back(static_cast<std::byte>(value & 0xFF));
}

void put32(Message& out, std::uint32_t value) {
    put16(out, value >> 16);
    put16(out, value & 0xFFFF);
}

void append_label(std::string& name, std::span<const std::byte> label) {
    if (!name.empty()) name += '.';
    for (const std::byte byte : label) {
        const auto c = std::to_integer<unsigned char>(byte);
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (plain)
            name += static_cast<char>(c);
        else
            name += fmt::format("\\{:03}", c);
    }
}

// The name at the cursor, uncompressed, in presentation form; nullopt when it is cut, too long or compressed.
std::optional<std::string> read_name(Cursor& cursor) {
    std::string name;
    std::size_t length = 1; // the root's byte
    for (;;) {
        const std::size_t label = cursor.u8();
        if (cursor.failed() || label > kMaxLabelBytes) return std::nullopt;
        if (label == 0) return name;
        length += label + 1;
        if (length > kMaxNameBytes) return std::nullopt;
        const auto bytes = cursor.take(label);
        if (cursor.failed()) return std::nullopt;
        append_label(name, bytes);
    }
}

// Passes over a record's owner, which may end in a compression pointer. It is not followed: nobody needs the name.
bool skip_owner(Cursor& cursor, bool& is_root) {
    is_root = false;
    for (std::size_t length = 0; length <= kMaxNameBytes;) {
        const unsigned label = cursor.u8();
        if (cursor.failed()) return false;
        if (label == 0) {
            is_root = length == 0;
            return true;
        }
        if ((label & 0xC0) == 0xC0) {
            cursor.u8();
            return !cursor.failed();
        }
        if (label > kMaxLabelBytes) return false;
        cursor.take(label);
        length += label + 1;
    }
    return false;
}

Message bare_answer(std::uint16_t id, std::uint16_t flags, Rcode rcode) {
    Message out;
    put16(out, id);
    put16(out,
          kResponse | (flags & (kOpcodeMask | kRecursionDesired)) | kRecursionAvailable | static_cast<unsigned>(rcode));
    for (int section = 0; section < 4; ++section)
        put16(out, 0);
    return out;
}

void put_opt(Message& out, unsigned extended_rcode) {
    constexpr unsigned kPayload = 1232; // what fits any path (DNS flag day 2020); our answers are far smaller
    out.push_back(std::byte{0});
    put16(out, type::kOpt);
    put16(out, kPayload);
    put32(out, extended_rcode << 24);
    put16(out, 0);
}

// The header and the question; the sections' records follow.
Message begin_answer(const Query& query, Rcode rcode, unsigned answers, unsigned authorities) {
    Message out;
    out.reserve(512);
    put16(out, query.id);
    unsigned flags = kResponse | kRecursionAvailable | (static_cast<unsigned>(rcode) & 0xF);
    if (query.recursion_desired) flags |= kRecursionDesired;
    if (query.checking_disabled) flags |= kCheckingDisabled;
    put16(out, flags);
    put16(out, 1);
    put16(out, answers);
    put16(out, authorities);
    put16(out, query.edns ? 1 : 0);
    out.insert(out.end(), query.question.begin(), query.question.end());
    return out;
}

Message finish_answer(const Query& query, Message out, Rcode rcode) {
    if (query.edns) put_opt(out, static_cast<unsigned>(rcode) >> 4);
    return out;
}

void put_record_head(Message& out, std::uint16_t record_type, std::uint32_t ttl) {
    put16(out, 0xC000 | kHeaderBytes); // the owner is the question's name
    put16(out, record_type);
    put16(out, kClassInternet);
    put32(out, ttl);
}

} // namespace

tl::expected<Query, Unanswerable> parse_query(std::span<const std::byte> message) {
    Cursor cursor(message);
    Query query;
    query.id = cursor.u16();
    const std::uint16_t flags = cursor.u16();
    const unsigned questions = cursor.u16(), answers = cursor.u16(), authorities = cursor.u16(),
                   additional = cursor.u16();
    const auto nothing = [](std::string_view reason) { return tl::unexpected(Unanswerable{std::nullopt, reason}); };
    const auto refuse = [&](Rcode rcode, std::string_view reason) {
        return tl::unexpected(Unanswerable{bare_answer(query.id, flags, rcode), reason});
    };
    if (cursor.failed() || message.size() > 65535) return nothing("shorter than a header, or longer than a message");
    if (flags & kResponse) return nothing("a response");
    if (flags & kOpcodeMask) return refuse(Rcode::NotImp, "not a standard query");
    if (questions != 1) return refuse(Rcode::FormErr, "not exactly one question");
    if (answers != 0 || authorities != 0) return refuse(Rcode::FormErr, "a query with answers");
    if (additional > kMaxAdditional) return refuse(Rcode::FormErr, "too many additional records");

    auto name = read_name(cursor);
    query.type = cursor.u16();
    const std::uint16_t klass = cursor.u16();
    if (!name || cursor.failed()) return refuse(Rcode::FormErr, "a malformed question");
    query.name = std::move(*name);
    query.recursion_desired = flags & kRecursionDesired;
    query.checking_disabled = flags & kCheckingDisabled;
    const auto question = message.subspan(kHeaderBytes, message.size() - kHeaderBytes - cursor.remaining());
    query.question.assign(question.begin(), question.end());

    unsigned version = 0;
    for (unsigned i = 0; i < additional; ++i) {
        bool root = false;
        if (!skip_owner(cursor, root)) return refuse(Rcode::FormErr, "a malformed additional record");
        const std::uint16_t record_type = cursor.u16();
        cursor.u16(); // class; for OPT the payload size
        cursor.u8();  // TTL; for OPT extended rcode, version, flags
        const unsigned opt_version = cursor.u8();
        cursor.u16();
        cursor.take(cursor.u16());
        if (cursor.failed()) return refuse(Rcode::FormErr, "a malformed additional record");
        if (record_type != type::kOpt) continue;
        if (query.edns || !root) return refuse(Rcode::FormErr, "a malformed OPT record");
        query.edns = true;
        version = opt_version;
    }
    if (cursor.remaining() != 0) return refuse(Rcode::FormErr, "bytes after the last record");
    if (version != 0)
        return tl::unexpected(Unanswerable{answer_nothing(query, Rcode::BadVers, 0), "an EDNS version other than 0"});
    if (klass != kClassInternet)
        return tl::unexpected(Unanswerable{answer_nothing(query, Rcode::Refused, 0), "not class IN"});
    return query;
}

Message answer_address(const Query& query, const IpAddress& address, std::uint32_t ttl) {
    Message out = begin_answer(query, Rcode::NoError, 1, 0);
    put_record_head(out, address.v6 ? type::kAaaa : type::kA, ttl);
    const std::size_t length = address.v6 ? 16 : 4;
    put16(out, static_cast<unsigned>(length));
    for (std::size_t i = 0; i < length; ++i)
        out.push_back(std::byte{address.bytes[i]});
    return finish_answer(query, std::move(out), Rcode::NoError);
}

Message answer_pointer(const Query& query, std::string_view name, std::uint32_t ttl) {
    Message wire;
    while (!name.empty()) {
        const std::string_view label = name.substr(0, name.find('.'));
        if (label.empty() || label.size() > kMaxLabelBytes) return answer_nothing(query, Rcode::ServFail, 0);
        wire.push_back(static_cast<std::byte>(label.size()));
        for (const char c : label)
            wire.push_back(static_cast<std::byte>(c));
        name.remove_prefix(std::min(name.size(), label.size() + 1));
    }
    wire.push_back(std::byte{0});
    Message out = begin_answer(query, Rcode::NoError, 1, 0);
    put_record_head(out, type::kPtr, ttl);
    put16(out, static_cast<unsigned>(wire.size()));
    out.insert(out.end(), wire.begin(), wire.end());
    return finish_answer(query, std::move(out), Rcode::NoError);
}

Message answer_nothing(const Query& query, Rcode rcode, std::uint32_t negative_ttl) {
    const bool negative = rcode == Rcode::NoError || rcode == Rcode::NxDomain;
    Message out = begin_answer(query, rcode, 0, negative ? 1 : 0);
    if (negative) {
        out.push_back(std::byte{0}); // the root: we speak for all there is
        put16(out, type::kSoa);
        put16(out, kClassInternet);
        put32(out, negative_ttl);
        put16(out, 22);
        put16(out, 0); // MNAME and RNAME: the root
        put32(out, 1); // serial
        put32(out, 3600);
        put32(out, 600);
        put32(out, 86400);
        put32(out, negative_ttl);
    }
    return finish_answer(query, std::move(out), rcode);
}

std::optional<IpAddress> address_of_pointer(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    std::string_view rest = lower;
    constexpr std::string_view kV4 = ".in-addr.arpa", kV6 = ".ip6.arpa";
    IpAddress ip;
    if (rest.ends_with(kV4)) {
        rest.remove_suffix(kV4.size());
        for (int i = 3; i >= 0; --i) {
            unsigned value = 0;
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
            const auto digits = static_cast<std::size_t>(end - rest.data());
            if (error != std::errc() || value > 255 || digits > 3 || (digits > 1 && rest[0] == '0'))
                return std::nullopt;
            ip.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value);
            rest.remove_prefix(digits);
            if (i == 0) break;
            if (!rest.starts_with('.')) return std::nullopt;
            rest.remove_prefix(1);
        }
        return rest.empty() ? std::optional(ip) : std::nullopt;
    }
    if (!rest.ends_with(kV6)) return std::nullopt;
    rest.remove_suffix(kV6.size());
    if (rest.size() != 63) return std::nullopt;
    ip.v6 = true;
    for (std::size_t i = 0; i < 32; ++i) {
        const char c = rest[i * 2];
        const bool digit = c >= '0' && c <= '9';
        if (!digit && (c < 'a' || c > 'f')) return std::nullopt;
        if (i < 31 && rest[i * 2 + 1] != '.') return std::nullopt;
        const unsigned nibble = static_cast<unsigned>(digit ? c - '0' : c - 'a' + 10);
        ip.bytes[15 - i / 2] = static_cast<std::uint8_t>(ip.bytes[15 - i / 2] | nibble << (i % 2 ? 4 : 0));
    }
    return ip;
}

std::string type_text(std::uint16_t type) {
    struct Entry {
        std::uint16_t number;
        std::string_view name;
    };
    static constexpr std::array kNames = {
        Entry{1, "A"},      Entry{2, "NS"},     Entry{5, "CNAME"},  Entry{6, "SOA"},     Entry{12, "PTR"},
        Entry{13, "HINFO"}, Entry{15, "MX"},    Entry{16, "TXT"},   Entry{28, "AAAA"},   Entry{33, "SRV"},
        Entry{35, "NAPTR"}, Entry{43, "DS"},    Entry{44, "SSHFP"}, Entry{48, "DNSKEY"}, Entry{52, "TLSA"},
        Entry{64, "SVCB"},  Entry{65, "HTTPS"}, Entry{252, "AXFR"}, Entry{255, "ANY"},   Entry{257, "CAA"}};
    for (const Entry& entry : kNames)
        if (entry.number == type) return std::string(entry.name);
    return fmt::format("TYPE{}", type);
}

} // namespace belljar::dns
