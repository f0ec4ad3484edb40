// `belljar ls`: what runs now, and with --all what ever ran and was not removed.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/session_client.h"
#include "core/record/event_bytes.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct ListOptions {
    bool all = false, json = false;
    std::string user;
};

bool runs(const SessionRow& row) {
    return row.state == SessionState::Running || row.state == SessionState::Starting;
}

Cell state_cell(const SessionRow& row) {
    switch (row.state) {
    case SessionState::Starting:
        return {"starting", Tint::Warn};
    case SessionState::Running:
        return {"running", Tint::Good};
    case SessionState::Lost:
        return {"lost", Tint::Bad};
    case SessionState::Ended:
        if (!row.status) return {"ended", Tint::None};
        return {fmt::format("ended {}", *row.status), *row.status == 0 ? Tint::None : Tint::Warn};
    }
    return {};
}

std::vector<Cell> cells(const SessionRow& row, std::int64_t now) {
    const SessionTotals& totals = row.totals;
    return {{row.id, Tint::Bold},
            {row.name},
            state_cell(row),
            {in_time(now - row.started_us)},
            {std::to_string(totals.allowed)},
            {std::to_string(totals.denied), totals.denied > 0 ? Tint::Bad : Tint::None},
            {std::to_string(totals.calls_denied), totals.calls_denied > 0 ? Tint::Bad : Tint::None},
            {row.command.size() > 60 ? row.command.substr(0, 57) + "..." : row.command}};
}

Result<int> list(const ListOptions& options) {
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    std::vector<SessionRow> rows;
    if (::access(place->paths.state.c_str(), F_OK) == 0) { // where no session ever was, none is made up by looking
        auto index = SessionIndex::open(place->paths);
        if (!index) return tl::unexpected(index.error());
        auto all = index->list();
        if (!all) return tl::unexpected(all.error());
        rows = std::move(*all);
        if (!index->notice().empty()) say(index->notice());
    }
    const std::size_t known = rows.size();
    if (!options.all) std::erase_if(rows, [](const SessionRow& row) { return !runs(row); });
    for (SessionRow& row : rows)
        ask_for_totals(*place, row);
    if (options.json) {
        Json out = Json::array();
        for (const SessionRow& row : rows)
            out.push_back(row_json(row));
        print_json(out);
        return 0;
    }
    if (rows.empty()) {
        say(known == 0 ? "no sessions yet; `belljar run -- bash` starts one"
                       : fmt::format("nothing runs; `belljar ls --all` lists {}",
                                     counted(known, "ended session", "ended sessions")));
        return 0;
    }
    std::vector<std::vector<Cell>> lines;
    for (const SessionRow& row : rows)
        lines.push_back(cells(row, now_us()));
    print(table({"ID", "NAME", "STATE", "AGE", "ALLOWED", "DENIED", "CALLS DENIED", "COMMAND"}, lines,
                wants_colour(STDOUT_FILENO)));
    return 0;
}

} // namespace

Action declare_ls(Options& options) {
    auto chosen = std::make_shared<ListOptions>();
    options.flag("-a,--all", chosen->all, "Ended and lost sessions too");
    options.flag("--json", chosen->json, "A JSON array");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose sessions");
    return [chosen] { return told(list(*chosen)); };
}

} // namespace belljar::cli
