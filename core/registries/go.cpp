// go: GOPROXY and GOSUMDB of the environment, of `go env -w`'s file, and of the installation ($GOROOT/go.env), else as `go env`
// says. "direct" stands for whatever host a module names: that is everywhere, so it adds none.
#include "core/registries/finders.h"
#include "core/registries/settings_text.h"

#include <algorithm>
#include <map>

namespace belljar {
namespace {

// Which modules are fetched or checked elsewhere: names, passed on so that the tool inside asks the same places.
constexpr const char* kPatterns[] = {"GOPRIVATE", "GONOPROXY", "GONOSUMDB"};

using Values = std::map<std::string, std::pair<std::string, std::string>>; // value and where; the first stays

Status gather(const UserFiles& files, Values& values) {
    std::vector<std::string> names{"GOPROXY", "GOSUMDB"};
    names.insert(names.end(), std::begin(kPatterns), std::end(kPatterns));
    for (const std::string& name : names)
        if (const std::string value = files.variable(name); !value.empty())
            values.try_emplace(name, value, "the environment's " + name);
    std::string own = files.variable("GOENV");
    if (own == "off") own.clear();
    else if (own.empty()) own = files.config_home() + "/go/env";
    std::vector<std::string> paths;
    if (!own.empty()) paths.push_back(own);
    if (const std::string root = files.variable("GOROOT"); root.starts_with('/')) paths.push_back(root + "/go.env");
    for (const std::string& path : paths) {
        const auto text = files.read(path);
        if (!text) return tl::unexpected(text.error());
        if (!*text) continue;
        for (const Setting& setting : read_go_env(**text))
            if (std::find(names.begin(), names.end(), setting.key) != names.end() && !setting.value.empty())
                values.try_emplace(setting.key, setting.value, files.shown(path));
    }
    return {};
}

void ask_go(const UserFiles& files, Values& values) {
    const auto answer = files.ask({"go", "env", "GOPROXY", "GOSUMDB"}, {"GOENV=off", "GOTOOLCHAIN=local", "GOFLAGS="});
    if (!answer) return;
    const std::size_t end = std::min(answer->find('\n'), answer->size());
    const std::string proxy(trimmed(std::string_view(*answer).substr(0, end)));
    const std::string sums(trimmed(std::string_view(*answer).substr(std::min(end + 1, answer->size()))));
    if (!proxy.empty()) values.try_emplace("GOPROXY", proxy, "go's own answer");
    if (!sums.empty()) values.try_emplace("GOSUMDB", sums, "go's own answer");
}

// "URL,URL|direct": commas and bars both separate.
Result<std::string> add_proxies(Finding& finding, const std::string& list, const std::string& where) {
    std::string told;
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t end = std::min(list.find_first_of(",|", start), list.size());
        const std::string_view one = trimmed(std::string_view(list).substr(start, end - start));
        if (one == "direct" || one == "off" || one.starts_with("file://") || one.empty()) {
            told += one;
        } else {
            const auto url = finding.add(one, where, true);
            if (!url) return tl::unexpected(url.error());
            told += *url;
        }
        if (end < list.size()) told += list[end];
        start = end + 1;
    }
    return told;
}

// "NAME", "NAME+KEY", "NAME+KEY URL", or "off". The proxy may carry its answers; without one it is asked itself.
Result<std::string> add_sums(Finding& finding, const std::string& value, const std::string& where) {
    const std::vector<std::string> parts = words(value);
    if (value == "off" || parts.empty()) return value;
    const std::string name = parts[0].substr(0, parts[0].find('+'));
    const auto url = finding.add(parts.size() > 1 ? parts[1] : name, where, true);
    if (!url) return tl::unexpected(url.error());
    return parts.size() > 1 ? parts[0] + " " + *url : parts[0];
}

} // namespace

Status find_go(Finding& finding) {
    Values values;
    if (Status gathered = gather(finding.files, values); !gathered) return gathered;
    if (!values.contains("GOPROXY") || !values.contains("GOSUMDB")) ask_go(finding.files, values);
    for (const auto& [name, add] : {std::pair{"GOPROXY", &add_proxies}, std::pair{"GOSUMDB", &add_sums}}) {
        const auto found = values.find(name);
        if (found == values.end()) continue;
        const auto told = add(finding, found->second.first, found->second.second);
        if (!told) return tl::unexpected(told.error());
        finding.tell(name, *told);
    }
    for (const char* name : kPatterns)
        if (const auto found = values.find(name); found != values.end()) finding.tell(name, found->second.first);
    return {};
}

} // namespace belljar
