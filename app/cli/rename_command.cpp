// `belljar rename`: gives a session another display name. The record keeps the name it began with.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/place.h"
#include "core/session/identity.h"

#include <fmt/format.h>
#include <memory>

namespace belljar::cli {
namespace {

struct RenameOptions {
    std::string session, name, user;
    bool json = false;
};

Result<int> rename(const RenameOptions& options) {
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    if (Status good = check_session_name(options.name); !good) return tl::unexpected(good.error());
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    auto index = SessionIndex::open(place->paths);
    if (!index) return tl::unexpected(index.error());
    const auto row = index->find(options.session);
    if (!row) return tl::unexpected(row.error());
    if (Status renamed = index->rename(row->id, options.name); !renamed) return tl::unexpected(renamed.error());
    if (options.json)
        print_json({{"id", row->id}, {"name", options.name}, {"before", row->name}});
    else
        print(fmt::format("{} ({}) is now {}\n", visible(row->name), row->id, visible(options.name)));
    return 0;
}

} // namespace

Action declare_rename(Options& options) {
    auto chosen = std::make_shared<RenameOptions>();
    options.positional("ID", chosen->session, ValueKind::Session, "A session, by id, unique prefix or name");
    options.positional("NAME", chosen->name, ValueKind::Text, "Its new name");
    options.flag("--json", chosen->json, "A JSON object: id, name, before");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose session");
    return [chosen] { return told(rename(*chosen)); };
}

} // namespace belljar::cli
