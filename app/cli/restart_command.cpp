// `belljar restart`: ends a session if it runs, and asks for the same again: the words of its `run`, in the folder where
// they were said, with the policy as it is now. A session of its own comes of it, with a new id.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/rerun.h"
#include "app/client/given_request.h"
#include "app/client/session_client.h"

#include <cerrno>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct RestartOptions {
    std::string session, user;
    bool force = false, detach = false, quiet = false, json = false;
};

Result<int> restart(const RestartOptions& options) {
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    const auto row = find_session(*place, options.session);
    if (!row) return tl::unexpected(row.error());
    const std::string what = fmt::format("restart {} ({})", row->name, row->id);
    // Everything that could go wrong, before anything is ended.
    const auto request = kept_request(place->paths.session(row->id));
    if (!request) {
        const Error& error = request.error();
        if (error.errno_value != ENOENT) return failure(what, error.message());
        return failure(what, "what it was asked for is not known",
                       row->state == SessionState::Starting ? "try again when it has begun"
                                                            : "start it with `belljar run`");
    }
    if (::chdir(request->directory.c_str()) != 0) {
        const std::string why = system_failure("").value().why;
        return failure(what, fmt::format("the folder {} where it was started: {}", request->directory, why),
                       "start it with `belljar run`");
    }
    if (row->state == SessionState::Running || row->state == SessionState::Starting)
        if (const auto stopped = stop_session(*place, *row, options.force); !stopped)
            return tl::unexpected(stopped.error());
    return run_again({request->words, row->name, options.detach, options.quiet, options.json});
}

} // namespace

Action declare_restart(Options& options) {
    auto chosen = std::make_shared<RestartOptions>();
    options.positional("ID", chosen->session, ValueKind::Session, "A session, by id, unique prefix or name");
    options.flag("-d,--detach", chosen->detach, "Print the new session's id and return at once");
    options.flag("-f,--force", chosen->force, "SIGKILL at once, if it runs");
    options.flag("-q,--quiet", chosen->quiet, "No summary at the end");
    options.flag("--json", chosen->json, "As `run --json`");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose session");
    return [chosen] { return told(restart(*chosen), kRunFailed); };
}

} // namespace belljar::cli
