// An event's bytes: one canonical JSON object, which is what is stored, hashed and exported. Canonical means: as
// nlohmann::ordered_json writes it (no blanks, shortest numbers, members in the order they were put, none twice),
// beginning with "seq", "time", "kind". Whatever deviates was not written by us.
#pragma once

#include "core/record/writer.h"

#include <optional>
#include <string>
#include <string_view>

namespace belljar {

inline constexpr std::size_t kMaxEventBytes = 1u << 20;
inline constexpr int kMaxEventDepth = 16;

// RFC 3339, UTC, microseconds: "2031-05-06T07:08:09.123456Z". Needs no time-zone files.
std::string format_time(std::int64_t microseconds_since_epoch);
std::optional<std::int64_t> parse_time(std::string_view text);
std::int64_t now_us();

// A kind is 1 to 32 of a-z and '-'; the fields are an object without the members that the writer adds.
Result<std::string> event_bytes(std::uint64_t sequence, const NewEvent& event);

// The bytes as an object; nullopt for what is no JSON object, too large or nested too deeply. Two members of one name:
// the last one counts (event_fault finds them).
std::optional<Json> parse_event_bytes(std::string_view bytes);

// Why these are not bytes that the writer would have stored under this number; empty when they are.
std::string event_fault(std::uint64_t sequence, std::string_view bytes, Json& parsed);

} // namespace belljar
