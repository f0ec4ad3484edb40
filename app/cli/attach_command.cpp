// `belljar attach`: this terminal at a session that already runs. Two connections to it: one becomes the terminal's byte
// stream (Attach, upgraded), over the other comes the answer to Wait.
#include "app/cli/command.h"
#include "app/cli/foreground.h"
#include "app/cli/output.h"
#include "app/client/session_client.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct AttachOptions {
    std::string session, detach_keys, user;
    bool read_only = false, quiet = false, json = false;
};

// Both ways of our streams are the terminal: what is drawn and what is typed belong together.
Result<StandardStreams> our_terminal(const std::string& what) {
    StandardStreams streams = look_at_standard_streams();
    if (streams.raw) return streams;
    return failure(what, "standard input and output are not a terminal",
                   "`belljar audit export --console` prints what a session's terminal has shown");
}

void tell(const AttachOptions& options, const SessionRow& row, const Outcome& outcome) {
    if (options.json) {
        Json summary{{"id", row.id}, {"name", row.name}, {"detached", outcome.left}};
        if (!outcome.left) {
            summary["status"] = outcome.status;
            summary["reason"] = outcome.reason;
            summary["sealed"] = outcome.sealed;
        }
        const std::string line = summary.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
        std::fwrite(line.data(), 1, line.size(), stderr);
    } else if (!options.quiet) {
        say(outcome.left ? fmt::format("detached from {} ({}), which goes on; `belljar attach {}` comes back", row.name,
                                       row.id, row.id)
                         : fmt::format("{} ({}) ended with status {}: {}{}", row.name, row.id, outcome.status,
                                       outcome.reason, outcome.sealed ? "" : "; its record is NOT sealed"));
    }
}

Result<int> attach(const AttachOptions& options) {
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    auto keys = DetachKeys::choose(options.detach_keys);
    if (!keys) return tl::unexpected(keys.error());
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    const auto row = find_session(*place, options.session);
    if (!row) return tl::unexpected(row.error());
    const std::string what = fmt::format("attach to {} ({})", row->name, row->id);
    auto session = connect_to_session(*place, *row);
    if (!session) return tl::unexpected(session.error());
    auto stream = connect_to_session(*place, *row);
    if (!stream) return tl::unexpected(stream.error());
    const auto streams = our_terminal(what);
    if (!streams) return tl::unexpected(streams.error());

    const ForwardedSignals signals;
    UserTerminal terminal(streams->terminal_input, true);
    const WindowSize size = terminal.size();
    // Answers once the session has begun, and with it its terminal.
    if (const auto begun = stream->call("org.belljar.Session.Describe"); !begun)
        return failure(what, begun.error().why, begun.error().next);
    const auto attached =
        stream->upgrade("org.belljar.Session.Attach",
                        {{"rows", size.rows}, {"columns", size.columns}, {"read_only", options.read_only}});
    if (!attached) return failure(what, attached.error().why, attached.error().next);
    PassedStreams passed;
    passed.terminal = stream->release();
    StandardStreams kinds;
    kinds.terminal = streams->terminal;
    kinds.terminal_input = streams->terminal_input;
    kinds.raw = true;
    Seat seat{.owner = false,
              .client = attached->value("client", 0),
              .read_only = options.read_only,
              .socket = place->paths.session_runtime(row->id) + "/" + kSessionSocket,
              .keys = std::move(*keys)};
    Foreground foreground(std::nullopt, std::move(*session), std::move(passed), kinds, &terminal, signals,
                          std::move(seat), [](const std::string&) {});
    const auto outcome = foreground.run();
    terminal.give_back();
    if (!outcome) return tl::unexpected(outcome.error());
    tell(options, *row, *outcome);
    if (!outcome->left) return outcome->status;
    return outcome->left_by == 0 ? 0 : 128 + outcome->left_by;
}

} // namespace

Action declare_attach(Options& options) {
    auto chosen = std::make_shared<AttachOptions>();
    options.positional("ID", chosen->session, ValueKind::Session, "A session, by id, unique prefix or name");
    options.value("--detach-keys", chosen->detach_keys, ValueKind::Keys,
                  "The keys that leave the session without ending it (\"ctrl-]\"), or none");
    options.flag("--read-only", chosen->read_only, "Look on: no key goes into the session, but for the detach keys");
    options.flag("-q,--quiet", chosen->quiet, "Say nothing at the end");
    options.flag("--json", chosen->json, "What is said at the end, as one JSON object on standard error");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose session");
    return [chosen] { return told(attach(*chosen)); };
}

} // namespace belljar::cli
