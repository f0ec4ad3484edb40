#include "core/policy/spec_from_policy.h"

#include "core/egress/host_pattern.h"
#include "core/policy/environment.h"
#include "core/policy/mounts.h"
#include "core/policy/values.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace belljar {
namespace {

// What a person can write down and no mechanism of this release stands behind. A session never starts with less than
// its policy says, so each is refused by name.
Status refuse_what_nothing_enforces(const Policy& policy) {
    const auto refuse = [&](std::string_view key, std::string why, std::string next) {
        return failure(fmt::format("policy {}: {}", policy.name, key), std::move(why), std::move(next));
    };
    for (const std::string& layer : policy.require) {
        const auto missing = layers_of_the_system_helper();
        if (std::find(missing.begin(), missing.end(), layer) != missing.end())
            return refuse("require",
                          fmt::format("the layer '{}' needs the system helper, which is not there yet", layer),
                          "take it out of `require`");
    }
    if (!policy.workspace.protect.empty())
        return refuse("workspace.protect", "protected paths are not enforced yet",
                      "leave it out, or mask the path with filesystem.hide");
    for (const EgressRules& rules : policy.egress)
        if (rules.fallback != "deny")
            return refuse("egress.default", fmt::format("\"{}\" is not there yet", rules.fallback),
                          "use \"deny\" and list the hosts in egress.allow");
    if (policy.workspace.nested && std::ranges::find(policy.require, "landlock") != policy.require.end())
        return refuse("workspace.nested", "it and the required layer 'landlock' exclude each other: under Landlock nothing is mounted",
                      "take one of them out");
    if (policy.syscalls.profile != "default" && policy.syscalls.profile != "strict")
        return refuse("syscalls.profile", "OCI profiles are not read yet", "use \"default\" or \"strict\"");
    if (policy.limits.memory_bytes)
        return refuse("limits.memory", "it needs the system helper, which is not there yet", "leave it out");
    if (policy.limits.cpus)
        return refuse("limits.cpus", "it needs the system helper, which is not there yet", "leave it out");
    return {};
}

Status check_request(const SessionRequest& request) {
    if (request.argv.empty() || request.argv[0].empty())
        return failure("session", "the command is empty", "write it behind '--': `belljar run -- make test`");
    for (const std::string& argument : request.argv)
        if (argument.find('\0') != std::string::npos) return failure("session", "a NUL byte in an argument");
    const std::string& home = request.account.home;
    if (home.empty() || home[0] != '/' || home == "/")
        return failure("session", fmt::format("the home of {} is '{}'", request.account.name, home),
                       "give the account a home folder of its own");
    if (request.workspace.empty() || request.workspace[0] != '/')
        return failure("session", "the workspace is no absolute path");
    if (!lies_in(request.working_directory, request.workspace) ||
        request.working_directory.find("/..") != std::string::npos)
        return failure("working directory " + request.working_directory, "not in the workspace " + request.workspace);
    return {};
}

// --allow: more of the user's own rules. A workspace's set still narrows them.
Status add_hosts(const std::vector<std::string>& hosts, const Policy& policy, std::vector<EgressRules>& egress) {
    if (hosts.empty()) return {};
    if (egress.empty()) egress.push_back(EgressRules{policy.name, "deny", {}, {}, {}});
    std::vector<std::string>& allow = egress.front().allow;
    for (const std::string& host : hosts) {
        if (is_registry_word(host)) {
            if (Status known = check_registry_word(host); !known) return known;
        } else if (const auto pattern = HostPattern::parse(host); !pattern) {
            return tl::unexpected(pattern.error());
        }
        if (std::find(allow.begin(), allow.end(), host) == allow.end()) allow.push_back(host);
    }
    return {};
}

// A word gives way to the hosts it stands for. One that nobody has looked up is an error, wherever it stands: it would allow
// less than the policy says, or deny less.
Status replace_words(std::vector<std::string>& patterns, const std::vector<RegistryMeaning>& meanings, bool ports) {
    std::vector<std::string> hosts;
    std::unordered_set<std::string> seen;
    const auto add = [&](const std::string& host) {
        if (seen.insert(host).second) hosts.push_back(host);
    };
    for (const std::string& pattern : patterns) {
        if (!is_registry_word(pattern)) {
            add(pattern);
            continue;
        }
        const auto meaning = std::find_if(meanings.begin(), meanings.end(),
                                          [&](const RegistryMeaning& one) { return one.word == pattern; });
        if (meaning == meanings.end())
            return failure(fmt::format("'{}'", visible(pattern)), "nobody has looked up what it stands for",
                           "write the hosts into egress.allow instead");
        for (const std::string& host : ports ? meaning->hosts : without_ports(meaning->hosts))
            add(host);
    }
    patterns = std::move(hosts);
    return {};
}

Status replace_words(std::vector<EgressRules>& egress, const std::vector<RegistryMeaning>& meanings) {
    for (EgressRules& rules : egress) {
        for (std::vector<std::string>* patterns : {&rules.allow, &rules.deny})
            if (Status done = replace_words(*patterns, meanings, true); !done) return done;
        if (Status done = replace_words(rules.private_names, meanings, false); !done) return done;
    }
    return {};
}

std::string visible_shell(const std::string& shell, const std::vector<std::string>& system) {
    const bool seen =
        std::any_of(system.begin(), system.end(), [&](const std::string& folder) { return lies_in(shell, folder); });
    return seen && shell.starts_with('/') ? shell : "/bin/sh";
}

} // namespace

std::vector<std::string> registry_words_of(const Policy& policy, const std::vector<std::string>& extra_allow,
                                           const Policy* workspace) {
    std::vector<std::string> words;
    const auto add = [&](const std::vector<std::string>& patterns) {
        for (const std::string& pattern : patterns)
            if (is_registry_word(pattern) && std::find(words.begin(), words.end(), pattern) == words.end())
                words.push_back(pattern);
    };
    for (const EgressRules& rules : policy.egress)
        for (const auto* patterns : {&rules.allow, &rules.deny, &rules.private_names})
            add(*patterns);
    add(extra_allow);
    if (workspace != nullptr)
        for (const EgressRules& rules : workspace->egress)
            add(rules.deny);
    return words;
}

bool reaches_anything(const Policy& policy, const SessionRequest& request) {
    return !request.extra_allow.empty() || std::any_of(policy.egress.begin(), policy.egress.end(),
                                                       [](const EgressRules& rules) { return !rules.allow.empty(); });
}

Result<SessionSpec> make_session_spec(const Policy& policy, const SessionRequest& request) {
    if (Status enforced = refuse_what_nothing_enforces(policy); !enforced) return tl::unexpected(enforced.error());
    if (Status checked = check_request(request); !checked) return tl::unexpected(checked.error());
    SessionSpec spec;
    spec.id = request.id;
    spec.name = request.name;
    spec.argv = request.argv;
    spec.workspace = request.workspace;
    spec.working_directory = request.working_directory;
    spec.user = request.account.name;
    spec.uid = request.account.uid;
    spec.gid = request.account.gid;
    spec.policy_name = policy.name;
    spec.policy_sha256 = policy.sha256;
    spec.require = policy.require;
    spec.system = policy.filesystem.system;
    spec.shell = visible_shell(request.account.shell, spec.system);
    spec.egress = policy.egress;
    spec.syscalls = policy.syscalls;
    spec.syscalls.nested = policy.workspace.nested;
    spec.limits = policy.limits;
    spec.terminal = request.terminal;
    spec.detached = request.detached;
    spec.state_folder = request.state_folder;
    spec.runtime_folder = request.runtime_folder;
    if (Status added = add_hosts(request.extra_allow, policy, spec.egress); !added)
        return tl::unexpected(added.error());
    if (Status replaced = replace_words(spec.egress, request.registries); !replaced)
        return tl::unexpected(replaced.error());
    spec.workspace_writable = !policy.workspace.read_only;

    if (policy.workspace.home != "session") {
        if (request.homes_folder.empty()) return failure("workspace.home", "there is no folder for kept homes");
        spec.kept_home = request.homes_folder + "/" + policy.workspace.home;
    }
    if (request.proxy && reaches_anything(policy, request)) spec.proxy = request.proxy;

    auto visible = visible_paths(policy, request);
    if (!visible) return tl::unexpected(visible.error());
    spec.home = std::move(visible->home);
    spec.mounts = std::move(visible->mounts);

    auto environment = session_environment(policy, request, spec.home, spec.shell);
    if (!environment) return tl::unexpected(environment.error());
    spec.environment = std::move(*environment);
    return spec;
}

} // namespace belljar
