#include "app/client/place.h"

#include "core/policy/values.h"
#include "core/session/spec.h"
#include "core/system/files.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <grp.h>
#include <optional>
#include <set>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace belljar {

Result<Place> find_place() {
    const char* home = std::getenv("HOME");
    const std::string from_environment = home != nullptr && home[0] == '/' ? home : "";
    auto account = find_account(::geteuid());
    if (!account) {
        if (from_environment.empty()) return tl::unexpected(account.error());
        account = Account{fmt::format("u{}", ::geteuid()), from_environment, "/bin/sh", ::geteuid(), ::getegid()};
    }
    account->gid = ::getegid();
    Place place{*account, Paths::from_environment(from_environment.empty() ? account->home : from_environment)};
    return place;
}

std::vector<std::string> environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    return variables;
}

namespace {

// What sessions could write, all that are in the index: as the specs beside their records say, or else the index alone.
Status add_what_sessions_wrote(const Paths& paths, std::set<std::string>& folders) {
    if (::access(paths.sessions().c_str(), F_OK) != 0 && errno == ENOENT) return {}; // there was none yet
    auto index = SessionIndex::open(paths);
    if (!index) return tl::unexpected(index.error());
    const auto rows = index->list();
    if (!rows) return tl::unexpected(rows.error());
    for (const SessionRow& row : *rows) {
        if (row.workspace.starts_with('/')) folders.insert(row.workspace);
        const auto text = read_file(paths.session(row.id) + "/" + kSpecFile, kMaxSpecBytes);
        const auto spec = text ? parse_session_spec(*text) : tl::unexpected(text.error());
        if (!spec) continue;
        for (const MountSpec& mount : spec->mounts)
            if (mount.mode == MountMode::Write) folders.insert(mount.path);
    }
    return {};
}

// The folder where one stands may be a workspace of somebody's, unless it could be none: "/", the home, what holds the home.
std::optional<std::string> here_as_workspace(const std::string& home) {
    char here[PATH_MAX];
    if (::getcwd(here, sizeof here) == nullptr || here[0] != '/') return std::nullopt;
    if (lies_in(real_path(home).value_or(home), here)) return std::nullopt;
    return here;
}

} // namespace

Result<RegistrySources> registry_sources(const Policy& policy, const Place& place, const std::string& workspace) {
    RegistrySources sources;
    sources.environment = environment();
    const char* home = std::getenv("HOME"); // as the tools take it
    sources.home = home != nullptr && home[0] == '/' ? home : place.account.home;
    sources.foreign.push_back(place.paths.state);
    std::set<std::string> folders;
    if (Status added = add_what_sessions_wrote(place.paths, folders); !added) return tl::unexpected(added.error());
    if (!workspace.empty()) folders.insert(workspace);
    if (const auto here = here_as_workspace(place.account.home)) folders.insert(*here);
    for (const std::string& path : policy.filesystem.write)
        folders.insert(path.starts_with("~/") ? place.account.home + path.substr(1) : path);
    sources.foreign.insert(sources.foreign.end(), folders.begin(), folders.end());
    return sources;
}

Status become_user(const std::string& name) {
    if (name.empty()) return {};
    const auto account = find_account(std::string_view(name));
    if (!account) return tl::unexpected(account.error());
    if (account->uid == ::geteuid() && account->uid == ::getuid()) return {};
    if (!is_real_root())
        return failure("--user " + name, "only root may act as another user", "leave --user out to act as yourself");
    if (account->uid == 0) return failure("--user " + name, "a session never runs as root", "name an ordinary user");
    if (::setgroups(0, nullptr) != 0) return system_failure("setgroups");
    if (::setresgid(account->gid, account->gid, account->gid) != 0) return system_failure("setresgid");
    if (::setresuid(account->uid, account->uid, account->uid) != 0) return system_failure("setresuid");
    if (::setuid(0) == 0) return failure("--user " + name, "root could be had back after setresuid");
    if (::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return system_failure("prctl PR_SET_DUMPABLE");
    std::vector<std::string> foreign;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::strncmp(*variable, "XDG_", 4) == 0)
            foreign.emplace_back(*variable, static_cast<std::size_t>(std::strchr(*variable, '=') - *variable));
    for (const std::string& variable : foreign)
        ::unsetenv(variable.c_str());
    ::setenv("HOME", account->home.c_str(), 1);
    ::setenv("USER", account->name.c_str(), 1);
    ::setenv("LOGNAME", account->name.c_str(), 1);
    ::setenv("SHELL", account->shell.c_str(), 1);
    return {};
}

Result<SessionRow> find_session(const Place& place, const std::string& id_or_name) {
    auto index = SessionIndex::open(place.paths);
    if (!index) return tl::unexpected(index.error());
    return index->find(id_or_name);
}

std::string state_word(SessionState state) {
    switch (state) {
    case SessionState::Starting:
        return "starting";
    case SessionState::Running:
        return "running";
    case SessionState::Ended:
        return "ended";
    case SessionState::Lost:
        return "lost";
    }
    return "";
}

nlohmann::ordered_json row_json(const SessionRow& row) {
    nlohmann::ordered_json out{{"id", row.id},
                               {"name", row.name},
                               {"state", state_word(row.state)},
                               {"command", row.command},
                               {"workspace", row.workspace},
                               {"policy", row.policy},
                               {"started_us", row.started_us}};
    out["ended_us"] = row.ended_us != 0 ? nlohmann::ordered_json(row.ended_us) : nlohmann::ordered_json();
    out["status"] = row.status ? nlohmann::ordered_json(*row.status) : nlohmann::ordered_json();
    out["reason"] = row.reason;
    out["totals"] = {{"allowed", row.totals.allowed},
                     {"denied", row.totals.denied},
                     {"calls_denied", row.totals.calls_denied},
                     {"bytes_sent", row.totals.bytes_sent},
                     {"bytes_received", row.totals.bytes_received}};
    out["sealed"] = row.sealed;
    out["public_key"] = row.public_key;
    return out;
}

} // namespace belljar
