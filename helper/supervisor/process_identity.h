// Which process did it: the pid as the session sees it, its executable and its arguments (capped at 4 KiB), read from the
// supervisor's own /proc. Text is UTF-8 (bytes_to_text).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace belljar {

struct ProcessIdentity {
    int pid = 0;
    std::string exe;
    std::vector<std::string> argv;
};

inline constexpr std::size_t kMaxArgumentBytes = 4096;

// Arguments as bytes, in the same words: what is beyond the cap is cut, and "…" says so.
std::vector<std::string> capped_arguments(const std::vector<std::string>& arguments);

} // namespace belljar
