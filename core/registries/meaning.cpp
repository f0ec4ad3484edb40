#include "core/registries/meaning.h"

#include "core/registries/address.h"
#include "core/registries/finders.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

struct Finder {
    std::string_view word;
    Status (*find)(Finding&);
    const char* tool;
    const char* next; // when nothing could be learnt
};

constexpr Finder kFinders[] = {
    {"@npm", find_npm, "npm", "write `registry = URL` into ~/.npmrc, or the hosts into egress.allow"},
    {"@pip", find_pip, "pip", "write `index-url = URL` under [global] into ~/.config/pip/pip.conf, or the hosts into egress.allow"},
    {"@cargo", find_cargo, "cargo",
     "fetch something with cargo once outside, set up [source] in ~/.cargo/config.toml, or write the hosts into egress.allow"},
    {"@go", find_go, "go", "set GOPROXY (`go env -w GOPROXY=URL`), or write the hosts into egress.allow"},
    {"@maven", find_maven, "maven", "write a <mirror> into ~/.m2/settings.xml, or the hosts into egress.allow"},
};

void add_new(std::vector<std::string>& list, std::string text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

} // namespace

Result<std::string> Finding::add(std::string_view url, const std::string& where, bool bare) {
    auto address = parse_registry_address(url, bare);
    if (!address) {
        Error error = address.error();
        error.what = where + ": " + error.what;
        return tl::unexpected(std::move(error));
    }
    add_new(meaning.hosts, address->host);
    add_new(meaning.sources, where);
    return std::move(address->url);
}

void Finding::tell(std::string name, const std::string& value) {
    meaning.environment.push_back(std::move(name) + "=" + value);
}

Result<RegistryMeaning> find_registry(const std::string& word, const RegistrySources& sources) {
    if (Status known = check_registry_word(word); !known) return tl::unexpected(known.error());
    const UserFiles files(sources);
    for (const Finder& finder : kFinders) {
        if (finder.word != word) continue;
        Finding finding(word, files);
        if (Status found = finder.find(finding); !found) {
            Error error = found.error();
            error.what = fmt::format("\"{}\": {}", word, error.what);
            return tl::unexpected(std::move(error));
        }
        if (finding.meaning.hosts.empty())
            return failure(fmt::format("\"{}\"", word),
                           fmt::format("neither the configuration of {} nor the tool itself says which hosts these are", finder.tool),
                           finder.next);
        return std::move(finding.meaning);
    }
    return failure(word, "no finder for this word");
}

Result<std::vector<RegistryMeaning>> find_registries(const std::vector<std::string>& words, const RegistrySources& sources) {
    std::vector<RegistryMeaning> meanings;
    for (const std::string& word : words) {
        auto meaning = find_registry(word, sources);
        if (!meaning) return tl::unexpected(meaning.error());
        meanings.push_back(std::move(*meaning));
    }
    return meanings;
}

} // namespace belljar
