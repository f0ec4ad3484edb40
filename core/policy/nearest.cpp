#include "core/policy/nearest.h"

#include <algorithm>
#include <array>

namespace belljar {

std::size_t edit_distance(std::string_view one, std::string_view other) {
    constexpr std::size_t longest = 64;
    one = one.substr(0, longest);
    other = other.substr(0, longest);
    std::array<std::array<std::size_t, longest + 1>, longest + 1> distance;
    for (std::size_t i = 0; i <= one.size(); ++i)
        distance[i][0] = i;
    for (std::size_t j = 0; j <= other.size(); ++j)
        distance[0][j] = j;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t replace = distance[i - 1][j - 1] + (one[i - 1] != other[j - 1]);
            distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replace});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
        }
    }
    return distance[one.size()][other.size()];
}

std::string nearest(std::string_view word, std::span<const std::string_view> words) {
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, std::min<std::size_t>(word.size() / 3, 3)) + 1;
    for (const std::string_view candidate : words) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    return best.empty() ? std::string() : "did you mean '" + std::string(best) + "'?";
}

} // namespace belljar
