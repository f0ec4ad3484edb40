// How both front ends write sizes, times and counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// As one word of a shell (POSIX.1, 2.2 Quoting), with "~/" left to mean the home.
std::string quoted_for_shell(const std::string& path);
// The words of a line as a shell would see them, without what it would expand (POSIX.1, 2.2 Quoting): blanks separate; quotes and
// backslashes quote. The inverse of command_line() (core/record/lifecycle.h). nullopt: a quote is not closed.
std::optional<std::vector<std::string>> split_command_line(std::string_view line);
std::string in_bytes(std::uint64_t bytes);                  // "0 B", "12.3 kB", "1.2 MB" (powers of 1000)
std::string in_time(std::int64_t microseconds);             // "4 ms", "2.3 s", "5 min 12 s", "3 h 04 min", "2 d 1 h"
std::string in_date(std::int64_t microseconds_since_epoch); // RFC 3339, UTC, seconds
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

} // namespace belljar
