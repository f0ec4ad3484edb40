// `belljar audit prune`: frees what ended sessions left. It says first what would go, and asks; workspaces are never touched,
// a kept home only where it is named, and nothing that a running session uses.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/ended_session.h"
#include "app/client/kept_homes.h"
#include "app/client/session_folders.h"
#include "core/policy/values.h"
#include "core/record/event_bytes.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct PruneOptions {
    bool homes = false, dry_run = false, force = false, json = false;
    std::string older_than, user;
    std::vector<std::string> kept;
};

// One thing that can go.
struct Item {
    enum class Kind { Session, Home, KeptHome } kind;
    SessionRow row;   // Session, Home
    std::string name; // KeptHome
    std::uint64_t bytes = 0;
};

const char* word_of(Item::Kind kind) {
    switch (kind) {
    case Item::Kind::Session:
        return "session";
    case Item::Kind::Home:
        return "home";
    case Item::Kind::KeptHome:
        return "kept-home";
    }
    return "";
}

std::string text_of(const Item& item) {
    switch (item.kind) {
    case Item::Kind::Session:
        return fmt::format("session {} ({}), with its record", visible(item.row.name), item.row.id);
    case Item::Kind::Home:
        return fmt::format("home of {} ({})", visible(item.row.name), item.row.id);
    case Item::Kind::KeptHome:
        return fmt::format("kept home {}, with the logins in it", visible(item.name));
    }
    return {};
}

std::string home_of(const Place& place, const SessionRow& row) {
    return place.paths.session(row.id) + "/" + kHomeFolder;
}

bool has_ended(const SessionRow& row) {
    return row.state == SessionState::Ended || row.state == SessionState::Lost;
}

Result<std::vector<SessionRow>> ended_sessions(const Place& place) {
    auto index = SessionIndex::open(place.paths);
    if (!index) return tl::unexpected(index.error());
    auto rows = index->list();
    if (rows) std::erase_if(*rows, [](const SessionRow& row) { return !has_ended(row); });
    return rows;
}

Result<std::vector<Item>> choose(const Place& place, const PruneOptions& options) {
    std::vector<Item> items;
    std::int64_t before = 0;
    if (!options.older_than.empty()) {
        const auto seconds = parse_duration(options.older_than);
        if (!seconds) return failure("--older-than " + options.older_than, seconds.error().why, seconds.error().next);
        const std::int64_t age_us = static_cast<std::int64_t>(std::min<std::uint64_t>(*seconds, 1ULL << 40)) * 1'000'000;
        before = now_us() - age_us;
    }
    const auto rows = ended_sessions(place);
    if (!rows) return tl::unexpected(rows.error());
    for (const SessionRow& row : *rows) {
        // One that was lost has no end: it counts from its start.
        if (!options.older_than.empty() && (row.ended_us != 0 ? row.ended_us : row.started_us) <= before)
            items.push_back({Item::Kind::Session, row, {}, measure_tree(place.paths.session(row.id)).bytes});
        else if (options.homes && ::access(home_of(place, row).c_str(), F_OK) == 0)
            items.push_back({Item::Kind::Home, row, {}, measure_tree(home_of(place, row)).bytes});
    }
    for (const std::string& name : options.kept) {
        const auto names = list_kept_homes(place.paths);
        if (std::find(names.begin(), names.end(), name) == names.end())
            return failure("--home " + name, "there is no kept home of that name",
                           names.empty() ? "there is none at all" : fmt::format("there are: {}", fmt::join(names, ", ")));
        items.push_back({Item::Kind::KeptHome, {}, name, measure_tree(place.paths.kept_home(name)).bytes});
    }
    return items;
}

Status remove(const Place& place, const Item& item) {
    if (item.kind == Item::Kind::KeptHome) return remove_kept_home(place.paths, item.name);
    const auto lock = hold_ended_session(place, item.row);
    if (!lock) return tl::unexpected(lock.error());
    return item.kind == Item::Kind::Session ? remove_ended_session(place, item.row) : remove_tree(home_of(place, item.row));
}

Json json_of(const Item& item) {
    Json out{{"kind", word_of(item.kind)}};
    if (item.kind != Item::Kind::KeptHome) out["id"] = item.row.id;
    out["name"] = item.kind == Item::Kind::KeptHome ? item.name : item.row.name;
    out["bytes"] = item.bytes;
    return out;
}

// Nothing was chosen: what there is to choose from.
int show_what_there_is(const Place& place, bool json) {
    const auto rows = ended_sessions(place);
    if (!rows) return complain(rows.error()), kFailed;
    std::uint64_t homes = 0, home_bytes = 0, session_bytes = 0;
    for (const SessionRow& row : *rows) {
        session_bytes += measure_tree(place.paths.session(row.id)).bytes;
        if (::access(home_of(place, row).c_str(), F_OK) != 0) continue;
        ++homes;
        home_bytes += measure_tree(home_of(place, row)).bytes;
    }
    Json kept = Json::array();
    std::string lines;
    for (const std::string& name : list_kept_homes(place.paths)) {
        const std::uint64_t bytes = measure_tree(place.paths.kept_home(name)).bytes;
        const bool used = kept_home_is_in_use(place.paths, name);
        kept.push_back({{"name", name}, {"bytes", bytes}, {"in_use", used}});
        lines += fmt::format("kept home {}: {}{}  (--home {})\n", visible(name), in_bytes(bytes), used ? ", in use" : "", visible(name));
    }
    if (json) {
        print_json({{"sessions", {{"count", rows->size()}, {"bytes", session_bytes}}},
                    {"homes", {{"count", homes}, {"bytes", home_bytes}}},
                    {"kept_homes", kept}});
        return 0;
    }
    print(fmt::format("{}: {}  (--older-than AGE)\n{} of theirs: {}  (--homes)\n{}",
                      counted(rows->size(), "session that ended", "sessions that ended"), in_bytes(session_bytes),
                      counted(homes, "home", "homes"), in_bytes(home_bytes), lines));
    return 0;
}

bool agreed(std::size_t count, std::uint64_t bytes) {
    return agrees_to(fmt::format("Remove {}, {}?", counted(count, "thing", "things"), in_bytes(bytes)));
}

int prune(const PruneOptions& options) {
    Status became = become_user(options.user);
    const auto place = became ? find_place() : Result<Place>(tl::unexpected(became.error()));
    if (!place) return complain(place.error()), kFailed;
    if (!options.homes && options.older_than.empty() && options.kept.empty()) return show_what_there_is(*place, options.json);
    const auto items = choose(*place, options);
    if (!items) return complain(items.error()), kFailed;
    std::uint64_t bytes = 0;
    for (const Item& item : *items) {
        bytes += item.bytes;
        if (!options.json) print(fmt::format("{}: {}\n", text_of(item), in_bytes(item.bytes)));
    }
    if (!options.json)
        print(items->empty() ? std::string("nothing to remove\n")
                             : fmt::format("{} altogether: {}\n", counted(items->size(), "thing", "things"), in_bytes(bytes)));
    if (!options.dry_run && !options.force && !items->empty()) {
        const std::string what = "audit prune";
        if (::isatty(STDIN_FILENO) != 1)
            return complain(Error{what, "nobody is there to be asked", "`-f` asks nothing, `--dry-run` removes nothing", 0}), kFailed;
        if (!agreed(items->size(), bytes)) return complain(Error{what, "left as it is", {}, 0}), kFailed;
    }
    int status = 0;
    Json all = Json::array();
    for (const Item& item : *items) {
        Json one = json_of(item);
        const Status removed = options.dry_run ? Status() : remove(*place, item);
        if (!removed) {
            complain(removed.error());
            one["error"] = removed.error().message();
            status = kFailed;
        }
        one["removed"] = !options.dry_run && removed.has_value();
        all.push_back(std::move(one));
    }
    if (options.json) print_json({{"dry_run", options.dry_run}, {"bytes", bytes}, {"items", all}});
    return status;
}

} // namespace

Action declare_audit_prune(Options& options) {
    auto chosen = std::make_shared<PruneOptions>();
    options.flag("--homes", chosen->homes, "The private homes of sessions that ended; their records stay");
    options.value("--older-than", chosen->older_than, ValueKind::Age, "Sessions that ended longer ago, records and all (\"30d\")");
    options.values("--home", chosen->kept, ValueKind::KeptHome, "The kept home of that name, with the logins in it; repeatable");
    options.flag("--dry-run", chosen->dry_run, "Say what would be freed, and remove nothing");
    options.flag("-f,--force", chosen->force, "Ask nothing (what a session uses is refused all the same)");
    options.flag("--json", chosen->json, "A JSON object");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose sessions");
    return [chosen] { return prune(*chosen); };
}

} // namespace belljar::cli
