#include "core/policy/environment.h"

#include "core/policy/proxy.h"
#include "core/policy/values.h"

#include <algorithm>
#include <map>
#include <set>

namespace belljar {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

bool is_locale_category(std::string_view name) {
    return name.starts_with("LC_") && name.size() > 3 &&
           name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", 3) == std::string_view::npos;
}

// The settings of the tools whose registries are allowed: their configuration lies in a home that is not visible inside.
void add_registry_settings(const Policy& policy, const SessionRequest& request,
                           std::map<std::string_view, std::string_view>& values) {
    const auto allows = [&](const std::string& word) {
        const auto names = [&](const std::vector<std::string>& patterns) {
            return std::find(patterns.begin(), patterns.end(), word) != patterns.end();
        };
        return names(request.extra_allow) ||
               std::any_of(policy.egress.begin(), policy.egress.end(),
                           [&](const EgressRules& rules) { return names(rules.allow); });
    };
    for (const RegistryMeaning& meaning : request.registries) {
        if (!allows(meaning.word)) continue;
        for (const std::string& entry : meaning.environment) {
            const std::size_t equals = entry.find('=');
            if (equals != 0 && equals != std::string::npos)
                values.emplace(std::string_view(entry).substr(0, equals), std::string_view(entry).substr(equals + 1));
        }
    }
}

} // namespace

Result<std::vector<std::string>> session_environment(const Policy& policy, const SessionRequest& request,
                                                     const std::string& home, const std::string& shell) {
    std::set<std::string_view> named{"PATH", "TERM", "COLORTERM", "LANG", "TZ"};
    named.insert(policy.credentials_env.begin(), policy.credentials_env.end());
    for (const std::string& name : request.extra_env) {
        if (Status fit = check_environment_name(name); !fit)
            return failure("--env " + name, fit.error().why, fit.error().next);
        named.insert(name);
    }
    const std::vector<AuthorityVariable> authorities =
        request.proxy ? authority_variables(request.environment) : std::vector<AuthorityVariable>();
    for (const AuthorityVariable& variable : authorities)
        named.insert(variable.name);
    std::map<std::string_view, std::string_view> values;
    for (const std::string& entry : request.environment) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string::npos) continue;
        const std::string_view name = std::string_view(entry).substr(0, equals);
        // The first of two entries with one name counts, as for getenv(3).
        if (named.contains(name) || is_locale_category(name))
            values.emplace(name, std::string_view(entry).substr(equals + 1));
    }
    add_registry_settings(policy, request, values); // after what was named: that is meant as it stands
    values.emplace("PATH", kDefaultPath);
    values["HOME"] = home;
    values["USER"] = values["LOGNAME"] = request.account.name;
    values["SHELL"] = shell;
    values["PWD"] = request.working_directory;
    values["TMPDIR"] = "/tmp";
    std::vector<std::string> environment;
    environment.reserve(values.size());
    for (const auto& [name, value] : values)
        environment.push_back(std::string(name) + "=" + std::string(value));
    return environment;
}

} // namespace belljar
