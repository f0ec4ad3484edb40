// The nearest of some known words to a mistyped one (optimal string alignment distance), for "did you mean".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::cli {

// nullopt when nothing is near: at most a third of the word's letters (and at least one) may differ.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

} // namespace belljar::cli
