// `belljar rm`: removes what an ended session left in Belljar's own folders. The workspace is not among them.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/ended_session.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct RemoveOptions {
    std::vector<std::string> sessions;
    bool force = false, json = false;
    std::string user;
};

bool agrees(const SessionRow& row) {
    return agrees_to(fmt::format("Remove {} ({}): its record, transcript and private home?", visible(row.name), row.id));
}

Result<SessionRow> remove(const Place& place, const std::string& id_or_name, bool force) {
    const auto row = find_session(place, id_or_name);
    if (!row) return tl::unexpected(row.error());
    const std::string what = fmt::format("remove {} ({})", row->name, row->id);
    if (row->state == SessionState::Running)
        return failure(what, "it is running", fmt::format("`belljar stop {}` ends it", row->id));
    const auto lock = hold_ended_session(place, *row);
    if (!lock) return tl::unexpected(lock.error());
    if (!force) {
        if (::isatty(STDIN_FILENO) != 1)
            return failure(what, "nobody is there to be asked", "`belljar rm -f` asks nothing");
        if (!agrees(*row)) return failure(what, "left as it is");
    }
    if (Status removed = remove_ended_session(place, *row); !removed) return tl::unexpected(removed.error());
    return *row;
}

int remove_all(const RemoveOptions& options) {
    Status became = become_user(options.user);
    const auto place = became ? find_place() : Result<Place>(tl::unexpected(became.error()));
    if (!place) {
        complain(place.error());
        return kFailed;
    }
    int status = 0;
    Json all = Json::array();
    for (const std::string& session : options.sessions) {
        const auto removed = remove(*place, session, options.force);
        if (!removed) {
            complain(removed.error());
            all.push_back({{"session", session}, {"removed", false}, {"error", removed.error().message()}});
            status = kFailed;
            continue;
        }
        all.push_back({{"id", removed->id}, {"name", removed->name}, {"removed", true}});
        if (!options.json) print(fmt::format("removed {} ({})\n", visible(removed->name), removed->id));
    }
    if (options.json) print_json(all);
    return status;
}

} // namespace

Action declare_rm(Options& options) {
    auto chosen = std::make_shared<RemoveOptions>();
    options.positionals("ID", chosen->sessions, ValueKind::Session, "Sessions, by id, unique prefix or name");
    options.flag("-f,--force", chosen->force, "Ask nothing (a running session is refused all the same)");
    options.flag("--json", chosen->json, "A JSON array, one object for each");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose sessions");
    return [chosen] { return remove_all(*chosen); };
}

} // namespace belljar::cli
