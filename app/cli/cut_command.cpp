// `belljar cut`: ends one connection of a running session; the others, and the session, go on.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/session_client.h"

#include <charconv>
#include <fmt/format.h>
#include <memory>

namespace belljar::cli {
namespace {

struct CutOptions {
    std::string session, connection, user;
    bool json = false;
};

// As `show` and `audit show` print it, with its # or without.
std::optional<std::int64_t> number_of(std::string_view text) {
    if (text.starts_with('#')) text.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

Result<int> cut(const CutOptions& options) {
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    const auto row = find_session(*place, options.session);
    if (!row) return tl::unexpected(row.error());
    const std::string what = fmt::format("cut connection {} of {} ({})", visible(options.connection), row->name, row->id);
    const std::string next = fmt::format("`belljar show {}` lists the open ones", row->id);
    const auto number = number_of(options.connection);
    if (!number) return failure(what, "not the number of a connection", next);
    auto session = connect_to_session(*place, *row);
    if (!session) return tl::unexpected(session.error());
    if (const auto asked = session->call("org.belljar.Session.Cut", {{"conn", *number}}); !asked)
        return failure(what, asked.error().why, next);
    if (options.json)
        print_json({{"id", row->id}, {"name", row->name}, {"conn", *number}, {"cut", true}});
    else
        print(fmt::format("cut connection #{} of {} ({})\n", *number, visible(row->name), row->id));
    return 0;
}

} // namespace

Action declare_cut(Options& options) {
    auto chosen = std::make_shared<CutOptions>();
    options.positional("ID", chosen->session, ValueKind::Session, "A running session, by id, unique prefix or name");
    options.positional("CONNECTION", chosen->connection, ValueKind::Connection, "Its number, as `belljar show` prints it");
    options.flag("--json", chosen->json, "A JSON object: id, name, conn, cut");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose session");
    return [chosen] { return told(cut(*chosen)); };
}

} // namespace belljar::cli
