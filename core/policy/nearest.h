// The word that was probably meant: what an error says beside "unknown".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// The number of letters to insert, delete, replace, or swap with their neighbour (optimal string alignment distance).
// Both words are cut to 64 bytes: it is for keys and names, whatever a file holds.
std::size_t edit_distance(std::string_view one, std::string_view other);

// "did you mean 'allow'?", or empty when nothing is near: more than a third of the letters (at least one) would change.
std::string nearest(std::string_view word, std::span<const std::string_view> words);

} // namespace belljar
