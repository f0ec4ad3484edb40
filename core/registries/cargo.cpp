// cargo: [source], [registries] and their variables in $CARGO_HOME/config.toml; the hosts that crates are downloaded from stand in
// the config.json of each index that cargo has fetched, which is also all that is known of its default registry.
#include "core/policy/document.h"
#include "core/registries/finders.h"
#include "core/registries/settings_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace belljar {
namespace {

constexpr std::string_view kDefaultSource = "crates-io"; // cargo's word for its default source, not a host

struct Registry {
    std::string url, where;
};

struct Settings {
    std::map<std::string, Registry> registries; // [registries.NAME], by name
    std::map<std::string, Registry> sources;    // [source.NAME] with a registry
    std::map<std::string, std::string> replaced; // [source.NAME] replace-with
    std::string default_registry;
};

std::string text_of(const toml::table& table, std::string_view key) {
    const auto* node = table.get(key);
    const auto* text = node != nullptr ? node->as_string() : nullptr;
    return text != nullptr ? text->get() : std::string();
}

void take_tables(const toml::table& document, std::string_view section, auto take) {
    const auto* node = document.get(section);
    const auto* table = node != nullptr ? node->as_table() : nullptr;
    if (table == nullptr) return;
    for (const auto& [name, value] : *table)
        if (const auto* one = value.as_table()) take(std::string(name.str()), *one);
}

Status read_config(const UserFiles& files, const std::string& cargo_home, Settings& settings) {
    for (const char* name : {"/config.toml", "/config"}) {
        const std::string path = cargo_home + name;
        const auto text = files.read(path);
        if (!text) return tl::unexpected(text.error());
        if (!*text) continue;
        const auto document = read_document(**text, files.shown(path));
        if (!document) return failure(files.shown(path), document.error().message, document.error().suggestion);
        take_tables(*document, "registries", [&](const std::string& registry, const toml::table& table) {
            if (std::string url = text_of(table, "index"); !url.empty())
                settings.registries.try_emplace(registry, Registry{std::move(url), files.shown(path)});
        });
        take_tables(*document, "source", [&](const std::string& source, const toml::table& table) {
            if (std::string url = text_of(table, "registry"); !url.empty())
                settings.sources.try_emplace(source, Registry{std::move(url), files.shown(path)});
            if (std::string other = text_of(table, "replace-with"); !other.empty())
                settings.replaced.try_emplace(source, std::move(other));
        });
        if (const auto* node = document->get("registry"))
            if (const auto* table = node->as_table()) settings.default_registry = text_of(*table, "default");
        break; // cargo reads one of the two
    }
    return {};
}

// CARGO_REGISTRIES_NAME_INDEX; NAME in capitals, with '_' for '-'.
std::string variable_for(std::string name) {
    for (char& c : name)
        c = c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return "CARGO_REGISTRIES_" + name + "_INDEX";
}

void read_variables(const UserFiles& files, Settings& settings) {
    for (const std::string& entry : files.environment()) {
        const std::size_t equals = std::min(entry.find('='), entry.size());
        const std::string name = entry.substr(0, equals);
        if (!name.starts_with("CARGO_REGISTRIES_") || !name.ends_with("_INDEX") || name.size() < 24) continue;
        const std::string url = entry.substr(std::min(equals + 1, entry.size()));
        if (url.empty()) continue;
        std::string registry;
        for (const auto& [known, value] : settings.registries)
            if (variable_for(known) == name) registry = known;
        if (registry.empty()) {
            registry = name.substr(17, name.size() - 23);
            std::transform(registry.begin(), registry.end(), registry.begin(),
                           [](unsigned char c) { return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? c + 32 : c; });
        }
        settings.registries[registry] = {url, "the environment's " + name};
    }
    if (const std::string name = files.variable("CARGO_REGISTRY_DEFAULT"); !name.empty()) settings.default_registry = name;
}

std::string host_name(const std::string& url) {
    std::size_t start = url.find("://");
    start = start == std::string::npos ? 0 : start + 3;
    const std::string host = url.substr(start, url.find_first_of("/?#", start) - start);
    const std::size_t at = host.rfind('@');
    const std::string bare = at == std::string::npos ? host : host.substr(at + 1);
    return bare.substr(0, bare.rfind(':'));
}

// An index that cargo has fetched by HTTP: registry/index/HOST-HASH/config.json. (What was cloned by git keeps it elsewhere.)
struct Index {
    std::string host, where, download;
};

Result<std::vector<Index>> fetched_indexes(const UserFiles& files, const std::string& cargo_home) {
    std::vector<Index> indexes;
    const std::string folder = cargo_home + "/registry/index";
    for (const std::string& name : files.list(folder)) {
        const std::size_t dash = name.rfind('-');
        if (dash == std::string::npos || dash == 0) continue;
        const std::string path = folder + "/" + name + "/config.json";
        const auto text = files.read(path);
        if (!text) return tl::unexpected(text.error());
        if (!*text) continue;
        const auto json = nlohmann::json::parse(**text, nullptr, false);
        if (!json.is_object()) continue;
        const auto download = json.find("dl");
        indexes.push_back({name.substr(0, dash), files.shown(path),
                           download != json.end() && download->is_string() ? download->get<std::string>() : std::string()});
    }
    return indexes;
}

// "https://HOST/{crate}/{version}": what is in braces is a part of the path; a host with some is none.
Status add_download(Finding& finding, const Index& index) {
    if (index.download.empty()) return {};
    const auto added = finding.add(index.download, index.where);
    return added ? Status() : tl::unexpected(added.error());
}

} // namespace

Status find_cargo(Finding& finding) {
    const UserFiles& files = finding.files;
    const std::string told = files.variable("CARGO_HOME");
    const std::string cargo_home = told.starts_with('/') ? told : files.home("/.cargo");
    Settings settings;
    if (Status read = read_config(files, cargo_home, settings); !read) return read;
    read_variables(files, settings);
    // Where the default source ends up; a source may name a registry of [registries] too.
    std::string source(kDefaultSource);
    for (std::set<std::string> seen; settings.replaced.contains(source) && seen.insert(source).second;)
        source = settings.replaced[source];
    std::vector<std::string> known; // host names of the configured indexes
    const auto add = [&](const Registry& registry) -> Result<std::string> {
        const auto url = finding.add(registry.url, registry.where);
        if (url) known.push_back(host_name(*url));
        return url;
    };
    const bool replaced = source != kDefaultSource;
    if (const auto found = settings.sources.find(source); found != settings.sources.end())
        if (const auto url = add(found->second); !url) return tl::unexpected(url.error());
    for (const auto& [name, registry] : settings.registries) {
        const auto url = add(registry);
        if (!url) return tl::unexpected(url.error());
        finding.tell(variable_for(name), *url);
    }
    if (!settings.default_registry.empty()) finding.tell("CARGO_REGISTRY_DEFAULT", settings.default_registry);
    const auto indexes = fetched_indexes(files, cargo_home);
    if (!indexes) return tl::unexpected(indexes.error());
    for (const Index& index : *indexes) {
        const bool configured = std::find(known.begin(), known.end(), index.host) != known.end();
        if (!configured && replaced) continue; // left from a time before the replacement
        if (!configured)
            if (const auto url = finding.add("https://" + index.host, index.where); !url) return tl::unexpected(url.error());
        if (Status added = add_download(finding, index); !added) return added;
    }
    return {};
}

} // namespace belljar
