// The messages of helper/resolver/protocol.h as values: what the supervisor asks, and what getaddrinfo(3) said.
#pragma once

#include "core/system/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

struct ResolveRequest {
    std::uint64_t request = 0;
    std::string name;
};

struct ResolveReply {
    std::uint64_t request = 0;
    std::vector<std::string> addresses;
    std::string error; // empty when there are addresses
    int code = 0;      // EAI_*
};

// Strict. The supervisor parses hostile bytes, so what it asks is looked at as well: `name` must be a host name in
// lower case
// ([a-z0-9_.-], at most 253 bytes).
Result<ResolveRequest> parse_request(std::string_view message);
std::string encode(const ResolveReply& reply);

} // namespace belljar
