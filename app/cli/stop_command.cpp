// `belljar stop`: asks a session's supervisor to end it, and waits until its record is sealed.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/session_client.h"

#include <fmt/format.h>
#include <memory>

namespace belljar::cli {
namespace {

struct StopOptions {
    std::vector<std::string> sessions;
    bool force = false, json = false;
    std::string user;
};

Result<Json> stop(const Place& place, const std::string& id_or_name, bool force) {
    const auto row = find_session(place, id_or_name);
    if (!row) return tl::unexpected(row.error());
    const auto status = stop_session(place, *row, force);
    if (!status) return tl::unexpected(status.error());
    Json out{{"id", row->id}, {"name", row->name}, {"stopped", true}};
    if (*status) out["status"] = **status;
    return out;
}

int stop_all(const StopOptions& options) {
    Status became = become_user(options.user);
    const auto place = became ? find_place() : Result<Place>(tl::unexpected(became.error()));
    if (!place) {
        complain(place.error());
        return kFailed;
    }
    int status = 0;
    Json all = Json::array();
    for (const std::string& session : options.sessions) {
        const auto stopped = stop(*place, session, options.force);
        if (!stopped) {
            complain(stopped.error());
            all.push_back({{"session", session}, {"stopped", false}, {"error", stopped.error().message()}});
            status = kFailed;
            continue;
        }
        all.push_back(*stopped);
        if (!options.json)
            print(fmt::format("stopped {} ({})\n", visible((*stopped)["name"].get<std::string>()),
                              (*stopped)["id"].get<std::string>()));
    }
    if (options.json) print_json(all);
    return status;
}

} // namespace

Action declare_stop(Options& options) {
    auto chosen = std::make_shared<StopOptions>();
    options.positionals("ID", chosen->sessions, ValueKind::Session, "Sessions, by id, unique prefix or name");
    options.flag("-f,--force", chosen->force, "SIGKILL at once");
    options.flag("--json", chosen->json, "A JSON array, one object for each");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose sessions");
    return [chosen] { return stop_all(*chosen); };
}

} // namespace belljar::cli
