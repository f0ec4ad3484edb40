// npm: `registry` and `@scope:registry` of the environment, the user's npmrc, then the global one (npm's own order; its project
// file, the workspace's .npmrc, is left out). Where the files say nothing npm itself is asked.
#include "core/registries/finders.h"
#include "core/registries/settings_text.h"
#include "core/system/files.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace belljar {
namespace {

constexpr std::string_view kPrefix = "npm_config_";

struct Found {
    std::string url, where;
};
using Registries = std::map<std::string, Found>; // "registry", "@scope:registry"; the first to be found stays

bool is_registry_key(std::string_view key) {
    return key == "registry" || (key.starts_with('@') && key.ends_with(":registry"));
}

// "${NAME}" in an npmrc stands for a variable of the environment.
std::string with_variables(std::string_view value, const UserFiles& files) {
    std::string out;
    while (!value.empty()) {
        const std::size_t start = std::min(value.find("${"), value.size());
        const std::size_t end = value.find('}', start);
        if (start == value.size() || end == std::string_view::npos) return out += value;
        out += value.substr(0, start);
        out += files.variable(value.substr(start + 2, end - start - 2));
        value.remove_prefix(end + 1);
    }
    return out;
}

// npm takes its variables in any case.
std::string npm_variable(const UserFiles& files, std::string_view key) {
    for (const std::string& entry : files.environment()) {
        const std::size_t equals = std::min(entry.find('='), entry.size());
        if (equals != kPrefix.size() + key.size()) continue;
        std::string name = entry.substr(0, equals);
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
        if (name == std::string(kPrefix) + std::string(key) && equals < entry.size()) return entry.substr(equals + 1);
    }
    return {};
}

Status read_npmrc_file(const UserFiles& files, const std::string& path, Registries& registries, std::string& prefix) {
    const auto text = files.read(path);
    if (!text) return tl::unexpected(text.error());
    if (!*text) return {};
    Registries here; // the last of a file counts
    for (const Setting& setting : read_npmrc(**text)) {
        if (!setting.section.empty()) continue;
        if (is_registry_key(setting.key)) here[setting.key] = {with_variables(setting.value, files), files.shown(path)};
        if (setting.key == "prefix" && prefix.empty()) prefix = with_variables(setting.value, files);
    }
    registries.merge(here);
    return {};
}

// Where the global npmrc can be: as npm is told, in Debian's place, beside node, and in the prefix of a user's own.
std::vector<std::string> global_files(const UserFiles& files, const std::string& prefix) {
    if (const std::string told = npm_variable(files, "globalconfig"); !told.empty()) return {told};
    std::vector<std::string> paths{files.etc("/npmrc")};
    if (prefix.starts_with('/')) paths.insert(paths.begin(), prefix + "/etc/npmrc");
    if (const auto node = files.program("node"))
        paths.push_back(std::filesystem::path(real_path(*node).value_or(*node)).parent_path().parent_path() / "etc/npmrc");
    return paths;
}

} // namespace

Status find_npm(Finding& finding) {
    const UserFiles& files = finding.files;
    Registries registries;
    std::string prefix = npm_variable(files, "prefix");
    if (const std::string url = npm_variable(files, "registry"); !url.empty())
        registries["registry"] = {url, "the environment's npm_config_registry"};
    const std::string user = npm_variable(files, "userconfig");
    if (Status read = read_npmrc_file(files, user.empty() ? files.home("/.npmrc") : user, registries, prefix); !read) return read;
    for (const std::string& path : global_files(files, prefix))
        if (Status read = read_npmrc_file(files, path, registries, prefix); !read) return read;
    if (!registries.contains("registry"))
        if (const auto answer = files.ask({"npm", "config", "get", "registry"}, {"npm_config_update_notifier=false"}))
            if (const std::string_view url = trimmed(*answer); !url.empty() && url != "undefined")
                registries["registry"] = {std::string(url), "npm's own answer"};
    for (const auto& [key, found] : registries) {
        const auto url = finding.add(found.url, found.where);
        if (!url) return tl::unexpected(url.error());
        finding.tell(std::string(kPrefix) + key, *url);
    }
    return {};
}

} // namespace belljar
