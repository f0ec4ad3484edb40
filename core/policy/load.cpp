// Where policies are found by name: the user's folder, then the built-in ones.
#include "core/policy/nearest.h"
#include "core/policy/parse.h"
#include "core/system/files.h"
#include "core/system/programs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>

namespace belljar {
namespace {

std::string user_folder(const std::string& config_folder) {
    return config_folder + "/policies";
}
std::string built_in_folder() {
    return data_path("policies");
}

bool is_policy_name(std::string_view name) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
           name.find_first_not_of(plain) == std::string_view::npos;
}

bool is_absent(const Error& error) {
    return error.errno_value == ENOENT || error.errno_value == ENOTDIR;
}

tl::unexpected<Diagnostics> unreadable(const std::string& file, const Error& error) {
    return tl::unexpected(Diagnostics{{file, 0, 0, error.why, error.next}});
}

std::string first_comment(std::string_view text) {
    while (!text.empty() && text[0] != '#') {
        const std::size_t end = text.find('\n');
        if (text.substr(0, end).find_first_not_of(" \t\r") != std::string_view::npos || end == std::string_view::npos)
            return {};
        text.remove_prefix(end + 1);
    }
    std::string_view line = text.substr(0, text.find('\n'));
    line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
        line.remove_suffix(1);
    return visible(line);
}

void list_folder(const std::string& folder, const std::string& origin, std::vector<PolicyListing>& into) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::filesystem::path& path = entry->path();
        const std::string name = path.stem().string();
        if (path.extension() != ".toml" || !is_policy_name(name)) continue;
        const auto text = read_file(path.string(), kLargestPolicy);
        into.push_back({name, path.string(), origin, text ? first_comment(*text) : text.error().message()});
    }
}

} // namespace

tl::expected<Policy, Diagnostics> load_policy(const std::string& name, const std::string& config_folder) {
    if (name.find('/') != std::string::npos || name.ends_with(".toml")) {
        const auto text = read_file(name, kLargestPolicy);
        if (!text) return unreadable(name, text.error());
        return parse_policy(*text, name, name, PolicyOrigin::User);
    }
    if (!is_policy_name(name))
        return tl::unexpected(
            Diagnostics{{name, 0, 0, "not the name of a policy", "letters, digits, '-', '_' and '.'"}});
    for (const bool built_in : {false, true}) {
        const std::string file = (built_in ? built_in_folder() : user_folder(config_folder)) + "/" + name + ".toml";
        const auto text = read_file(file, kLargestPolicy);
        if (text) return parse_policy(*text, file, name, built_in ? PolicyOrigin::BuiltIn : PolicyOrigin::User);
        if (!is_absent(text.error())) return unreadable(file, text.error());
    }
    const std::vector<PolicyListing> listing = list_policies(config_folder);
    std::vector<std::string_view> names;
    for (const PolicyListing& one : listing)
        names.push_back(one.name);
    std::string next = nearest(name, names);
    if (next.empty()) next = fmt::format("there are: {}", fmt::join(names, ", "));
    return tl::unexpected(Diagnostics{{name, 0, 0, "no such policy", std::move(next)}});
}

tl::expected<std::optional<Policy>, Diagnostics> load_workspace_policy(const std::string& workspace) {
    const std::string file = workspace + "/" + kWorkspacePolicyFile;
    const auto text = read_file_below(workspace, kWorkspacePolicyFile, kLargestWorkspacePolicy);
    if (!text && is_absent(text.error())) return std::nullopt;
    if (!text) return unreadable(file, text.error());
    auto policy = parse_policy(*text, file, file, PolicyOrigin::Workspace);
    if (!policy) return tl::unexpected(std::move(policy.error()));
    return std::move(*policy);
}

std::vector<PolicyListing> list_policies(const std::string& config_folder) {
    std::vector<PolicyListing> all, built_in;
    list_folder(user_folder(config_folder), "user", all);
    list_folder(built_in_folder(), "built-in", built_in);
    for (PolicyListing& one : built_in)
        if (std::none_of(all.begin(), all.end(), [&](const PolicyListing& own) { return own.name == one.name; }))
            all.push_back(std::move(one));
    std::sort(all.begin(), all.end(),
              [](const PolicyListing& one, const PolicyListing& other) { return one.name < other.name; });
    return all;
}

} // namespace belljar
