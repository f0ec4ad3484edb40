// The Varlink wire protocol (varlink.org: Method Call): JSON objects, each ended by one NUL byte, over a stream socket.
#pragma once

#include "core/system/error.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace belljar::varlink {

using nlohmann::json;

inline constexpr std::size_t kMaxMessageBytes = 40u << 20; // a spec of kMaxSpecBytes (core/session/spec.h) in a call
inline constexpr int kMaxJsonDepth = 32;
inline constexpr std::size_t kMaxJsonElements = 1u << 19; // brackets and commas: what a message may cost in memory

struct Call {
    std::string method; // "org.belljar.Session.Wait"
    json parameters = json::object();
    bool oneway = false, more = false, upgrade = false;
};

struct Reply {
    json parameters = json::object();
    bool continues = false;
    std::string error;  // "" or "org.varlink.service.MethodNotFound", …
};

// Strict: a member that is not of the protocol, or of a wrong type, is an Error. Hostile bytes: size, depth and the number of
// elements are capped.
Result<Call> parse_call(std::string_view message);
Result<Reply> parse_reply(std::string_view message);
std::string encode(const Call& call);   // ends with the NUL
std::string encode(const Reply& reply); // ends with the NUL

// Cuts a byte stream into messages. Keeps at most kMaxMessageBytes; beyond that `feed` fails and the connection must go: feed
// it what one read gave, and take every message out before the next.
class FrameSplitter {
public:
    Status feed(std::span<const char> bytes);
    std::optional<std::string> next(); // without the NUL
    std::string rest();                // what was fed and not handed out; for a connection that becomes something else
private:
    std::string buffer_;
    std::size_t taken_ = 0;   // buffer_ up to here was handed out
    std::size_t scanned_ = 0; // no NUL between taken_ and here
};

} // namespace belljar::varlink
