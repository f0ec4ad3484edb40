// What a script says of who runs it: the first line, as execve(2) reads it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace belljar {

// The words behind "#!", at most 255 bytes of them; none where there is nothing behind it. nullopt: no script, or not readable
// (which no interpreter could read either).
std::optional<std::vector<std::string>> interpreter_words(const std::string& path);

} // namespace belljar
