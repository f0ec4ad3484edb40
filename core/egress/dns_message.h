// DNS messages, as much of them as a server needs that answers from its own knowledge: one question in, an address, a
// name or nothing out (RFC 1035 §4; EDNS: RFC 6891; negative answers: RFC 2308). Queries are hostile bytes: nothing is
// followed, nothing beyond 64 KiB is looked at, and a compression pointer in a question is an error.
#pragma once

#include "core/egress/ip_address.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace belljar::dns {

using Message = std::vector<std::byte>;

enum class Rcode : std::uint16_t {
    NoError = 0,
    FormErr = 1,
    ServFail = 2,
    NxDomain = 3,
    NotImp = 4,
    Refused = 5,
    BadVers = 16
};

namespace type {
inline constexpr std::uint16_t kA = 1, kSoa = 6, kPtr = 12, kAaaa = 28, kOpt = 41;
}

struct Query {
    std::uint16_t id = 0;
    bool recursion_desired = false, checking_disabled = false;
    Message question; // name, type and class exactly as asked: echoed, so that 0x20 mixed case survives
    std::string name; // presentation form without the last dot; bytes other than [A-Za-z0-9_-] as \DDD (RFC 1035 §5.1)
    std::uint16_t type = 0;
    bool edns = false; // the query had an OPT record, so the answer has one
};

// A message that is no query to answer. `answer` is what to send back; nullopt: send nothing (a response, or no
// header).
struct Unanswerable {
    std::optional<Message> answer;
    std::string_view reason;
};

tl::expected<Query, Unanswerable> parse_query(std::span<const std::byte> message);

// An A or AAAA record, by the family of `address`.
Message answer_address(const Query& query, const IpAddress& address, std::uint32_t ttl);
// A PTR record; `name` is a normalised host name.
Message answer_pointer(const Query& query, std::string_view name, std::uint32_t ttl);
// No records. NoError ("no data") and NxDomain carry a SOA whose minimum, `negative_ttl`, bounds negative caching.
Message answer_nothing(const Query& query, Rcode rcode, std::uint32_t negative_ttl);

// The address that a PTR question asks about: 4.3.2.1.in-addr.arpa or 32 nibbles of ip6.arpa; any case.
std::optional<IpAddress> address_of_pointer(std::string_view name);
// "A", "HTTPS", …; "TYPE1234" for what has no name here (RFC 3597).
std::string type_text(std::uint16_t type);

} // namespace belljar::dns
