#include "app/cli/policy_text.h"

#include <fmt/format.h>

namespace belljar::cli {
namespace {

// TOML basic strings and JSON strings have the escapes in common that matter here (TOML v1.0, "String").
std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string quoted(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& item : list)
        out += (out.empty() ? "" : ", ") + quoted(item);
    return "[" + out + "]";
}

std::string size_text(std::uint64_t bytes) {
    for (const auto& [unit, factor] :
         {std::pair{"GiB", 1ULL << 30}, std::pair{"MiB", 1ULL << 20}, std::pair{"KiB", 1ULL << 10}})
        if (bytes != 0 && bytes % factor == 0) return fmt::format("\"{}{}\"", bytes / factor, unit);
    return fmt::format("\"{}B\"", bytes);
}

std::string duration_text(std::uint64_t seconds) {
    if (seconds != 0 && seconds % 3600 == 0) return fmt::format("\"{}h\"", seconds / 3600);
    if (seconds != 0 && seconds % 60 == 0) return fmt::format("\"{}m\"", seconds / 60);
    return fmt::format("\"{}s\"", seconds);
}

std::string limits_toml(const LimitSpec& limits) {
    std::string out = "[limits]\n";
    if (limits.memory_bytes) out += fmt::format("memory = {}\n", size_text(*limits.memory_bytes));
    out += fmt::format("processes = {}\nopen_files = {}\n", limits.processes, limits.open_files);
    if (limits.cpus) out += fmt::format("cpus = {:.2f}\n", *limits.cpus);
    out += fmt::format("scratch = {}\n", size_text(limits.scratch_bytes));
    if (limits.duration_seconds) out += fmt::format("duration = {}\n", duration_text(*limits.duration_seconds));
    return out;
}

} // namespace

std::string policy_toml(const Policy& policy) {
    std::string out = fmt::format("# {} ({})\n# sha256 {}\n", policy.name, policy.file, policy.sha256);
    out += fmt::format("version = 1\nrequire = {}\n\n", quoted(policy.require));
    out += fmt::format("[workspace]\nprotect = {}\nunprotect = {}\nhome = {}\nread_only = {}\nnested = {}\n\n",
                       quoted(policy.workspace.protect), quoted(policy.workspace.unprotect),
                       quoted(policy.workspace.home), policy.workspace.read_only, policy.workspace.nested);
    out +=
        fmt::format("[filesystem]\nsystem = {}\nread = {}\nwrite = {}\nhide = {}\n\n", quoted(policy.filesystem.system),
                    quoted(policy.filesystem.read), quoted(policy.filesystem.write), quoted(policy.filesystem.hide));
    for (const EgressRules& rules : policy.egress) {
        if (policy.egress.size() > 1)
            out += fmt::format("# of {}; a destination must be allowed by each\n", rules.source);
        out += fmt::format("[egress]\ndefault = {}\nallow = {}\ndeny = {}\nprivate = {}\n\n", quoted(rules.fallback),
                           quoted(rules.allow), quoted(rules.deny), quoted(rules.private_names));
    }
    out += fmt::format("[credentials]\nenv = {}\n\n", quoted(policy.credentials_env));
    out += fmt::format("[syscalls]\nprofile = {}\nallow = {}\ndeny = {}\n\n", quoted(policy.syscalls.profile),
                       quoted(policy.syscalls.allow), quoted(policy.syscalls.deny));
    return out + limits_toml(policy.limits);
}

nlohmann::ordered_json policy_json(const Policy& policy) {
    using Json = nlohmann::ordered_json;
    Json egress = Json::array();
    for (const EgressRules& rules : policy.egress)
        egress.push_back({{"source", rules.source},
                          {"default", rules.fallback},
                          {"allow", rules.allow},
                          {"deny", rules.deny},
                          {"private", rules.private_names}});
    const auto maybe = [](const auto& value) { return value ? Json(*value) : Json(); };
    return {{"name", policy.name},
            {"file", policy.file},
            {"sha256", policy.sha256},
            {"require", policy.require},
            {"workspace",
             {{"protect", policy.workspace.protect},
              {"unprotect", policy.workspace.unprotect},
              {"home", policy.workspace.home},
              {"read_only", policy.workspace.read_only},
              {"nested", policy.workspace.nested}}},
            {"filesystem",
             {{"system", policy.filesystem.system},
              {"read", policy.filesystem.read},
              {"write", policy.filesystem.write},
              {"hide", policy.filesystem.hide}}},
            {"egress", egress},
            {"credentials", {{"env", policy.credentials_env}}},
            {"syscalls",
             {{"profile", policy.syscalls.profile}, {"allow", policy.syscalls.allow}, {"deny", policy.syscalls.deny}}},
            {"limits",
             {{"memory_bytes", maybe(policy.limits.memory_bytes)},
              {"processes", policy.limits.processes},
              {"open_files", policy.limits.open_files},
              {"cpus", maybe(policy.limits.cpus)},
              {"scratch_bytes", policy.limits.scratch_bytes},
              {"duration_seconds", maybe(policy.limits.duration_seconds)}}}};
}

} // namespace belljar::cli
