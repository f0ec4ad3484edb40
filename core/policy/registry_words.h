// "@npm" and its like: words of a policy that stand for the hosts which the user's own tool is set up to fetch from. No host
// is known here; core/registries finds out what a word means on this machine, now.
#pragma once

#include "core/system/error.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

std::span<const std::string_view> registry_words(); // "@npm", "@pip", "@cargo", "@go", "@maven"
inline bool is_registry_word(std::string_view text) { return text.starts_with('@'); }
// An Error names the nearest word.
Status check_registry_word(std::string_view text);

// What one word stands for.
struct RegistryMeaning {
    std::string word;
    std::vector<std::string> hosts;       // host patterns: "registry.example", "registry.example:4873", "host:4873"
    std::vector<std::string> environment; // NAME=VALUE that tells the tool inside, whose home is empty; no credentials
    std::vector<std::string> sources;     // where each was found, for people
    bool operator==(const RegistryMeaning&) const = default;
};

// The patterns as `egress.private` takes them: without ports, and without the host's own services.
std::vector<std::string> without_ports(const std::vector<std::string>& hosts);

} // namespace belljar
