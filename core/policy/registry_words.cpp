#include "core/policy/registry_words.h"

#include "core/egress/host_pattern.h"
#include "core/policy/nearest.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::string_view kWords[] = {"@npm", "@pip", "@cargo", "@go", "@maven"};

} // namespace

std::span<const std::string_view> registry_words() {
    return kWords;
}

Status check_registry_word(std::string_view text) {
    if (std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords)) return {};
    std::string next = nearest(text, kWords);
    return failure(fmt::format("host pattern '{}'", visible(text.substr(0, 120))),
                   "no such word for a tool's registries",
                   next.empty() ? fmt::format("there are: {}", fmt::join(kWords, ", ")) : next);
}

std::vector<std::string> without_ports(const std::vector<std::string>& hosts) {
    std::vector<std::string> bare;
    for (const std::string& host : hosts) {
        const auto pattern = HostPattern::parse(host);
        if (!pattern || pattern->kind == HostPattern::Kind::HostService) continue;
        std::string name = pattern->name;
        if (pattern->kind == HostPattern::Kind::Network)
            name = pattern->network.v6 ? "[" + pattern->network.text() + "]" : pattern->network.text();
        if (std::find(bare.begin(), bare.end(), name) == bare.end()) bare.push_back(std::move(name));
    }
    return bare;
}

} // namespace belljar
