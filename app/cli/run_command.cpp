// `belljar run`: policy → spec → helper → session. A launch is 4 ms altogether, so the helper is started first, to get
// going while the policy is read, and whatever is not needed before the command runs (the copy of the spec, the index)
// is written by a thread of its own while the command already runs. The index itself is not even opened.
#include "app/cli/command.h"
#include "app/cli/foreground.h"
#include "app/cli/output.h"
#include "app/cli/rerun.h"
#include "app/cli/standard_streams.h"
#include "app/client/doctor.h"
#include "app/client/missing_command.h"
#include "app/client/session_folders.h"
#include "app/client/start.h"
#include "core/record/event_bytes.h"

#include <climits>
#include <fmt/format.h>
#include <memory>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct RunOptions {
    std::string folder, policy = "default", name, user, detach_keys;
    std::vector<std::string> allow, env, read, argv;
    std::vector<std::string> given; // the whole line, for `restart`
    bool detach = false, quiet = false, json = false;
};

StartRequest request_of(const RunOptions& options, const StandardStreams& streams, const UserTerminal* terminal) {
    StartRequest request;
    request.folder = options.folder;
    request.policy = options.policy;
    request.name = options.name;
    request.argv = options.argv;
    request.allow = options.allow;
    request.env = options.env;
    request.read = options.read;
    request.terminal.standard_input = streams.kinds[0];
    request.terminal.standard_output = streams.kinds[1];
    request.terminal.standard_error = streams.kinds[2];
    const WindowSize size = terminal != nullptr ? terminal->size() : WindowSize{};
    request.terminal.rows = size.rows;
    request.terminal.columns = size.columns;
    request.detached = options.detach;
    return request;
}

GivenRequest given_of(const RunOptions& options) {
    char here[PATH_MAX];
    return {::getcwd(here, sizeof here) != nullptr ? here : "", options.given};
}

// 126 and 127 of ours, not of a command that ran; and not of a session that was stopped before it began.
bool could_not_execute(const Outcome& outcome) {
    return !outcome.executed && (outcome.status == 126 || outcome.status == 127);
}

// The command never began, or its interpreter was not found: said even where the summary is not wanted.
std::optional<Error> exec_failure(const SessionSpec& spec, const Outcome& outcome) {
    if (could_not_execute(outcome)) return explain_not_executed(spec, outcome.status, outcome.reason);
    if (outcome.executed && outcome.status == 127) return explain_missing_interpreter(spec);
    return std::nullopt;
}

void sum_up(const SessionSpec& spec, const Outcome& outcome, std::int64_t duration_us, const std::string& user) {
    const SessionTotals& totals = outcome.totals;
    const std::string how = outcome.status > 128 && outcome.status < 128 + 65
                                ? fmt::format("status {} (signal {})", outcome.status, outcome.status - 128)
                                : fmt::format("status {}", outcome.status);
    say(fmt::format("{} ({}) ended with {} after {}{}{}", spec.name, spec.id, how, in_time(duration_us),
                    outcome.reason.empty() || could_not_execute(outcome) ? "" : ": " + outcome.reason,
                    outcome.sealed ? "" : "; its record is NOT sealed"));
    say(fmt::format("{} allowed, {} denied, {} denied, {} sent, {} received",
                    counted(totals.allowed, "connection", "connections"), totals.denied,
                    counted(totals.calls_denied, "call", "calls"), in_bytes(totals.bytes_sent),
                    in_bytes(totals.bytes_received)));
    if (!outcome.advice.empty()) say(visible(outcome.advice));
    say(fmt::format("`belljar audit show {}{}` tells all of it", user.empty() ? "" : "--user " + user + " ", spec.id));
}

// It goes on without us.
int tell_detached(const RunOptions& options, const SessionSpec& spec) {
    if (options.json) {
        const Json summary{{"id", spec.id}, {"name", spec.name}, {"detached", true}};
        const std::string line = summary.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
        std::fwrite(line.data(), 1, line.size(), stderr);
    } else {
        say(fmt::format("detached from {} ({}), which goes on; `belljar attach {}` comes back", spec.name, spec.id,
                        spec.id));
    }
    return 0;
}

Result<int> run_in_foreground(const RunOptions& options, const Paths& paths, Helper helper, const SessionSpec& spec,
                              const StandardStreams& streams, UserTerminal* terminal, const ForwardedSignals& signals,
                              DetachKeys keys) {
    auto passed = make_passed_streams(streams, false);
    if (!passed) return tl::unexpected(passed.error());
    if (Status sent = send_start(helper, spec, std::move(passed->theirs)); !sent) return tl::unexpected(sent.error());
    std::int64_t started_us = now_us();
    Status written;
    std::jthread writing;
    varlink::Client owner(std::move(passed->owner));
    Seat seat{.socket = spec.runtime_folder + "/" + kSessionSocket, .keys = std::move(keys)};
    Foreground foreground(std::move(helper), std::move(owner), std::move(*passed), streams, terminal, signals,
                          std::move(seat),
                          [&](const std::string& key) {
                              started_us = now_us();
                              writing = std::jthread([&written, &options, &paths, &spec, key, started_us] {
                                  written = write_down(paths, spec, given_of(options), key, started_us);
                              });
                          });
    auto outcome = foreground.run();
    if (terminal != nullptr) terminal->give_back();
    if (writing.joinable()) writing.join();
    if (!written) complain(written.error()); // the record is whole; lists find it there
    if (!outcome) return tl::unexpected(outcome.error());
    if (outcome->left) return tell_detached(options, spec);
    const auto failed = exec_failure(spec, *outcome);
    if (failed && !options.json) complain(*failed);
    if (options.json) {
        const SessionTotals& totals = outcome->totals;
        const Json summary{{"id", spec.id},
                           {"name", spec.name},
                           {"status", outcome->status},
                           {"reason", outcome->reason},
                           {"hint", failed ? Json(failed->message()) : Json()},
                           {"executed", outcome->executed},
                           {"sealed", outcome->sealed},
                           {"advice", outcome->advice},
                           {"duration_us", now_us() - started_us},
                           {"totals",
                            {{"allowed", totals.allowed},
                             {"denied", totals.denied},
                             {"calls_denied", totals.calls_denied},
                             {"bytes_sent", totals.bytes_sent},
                             {"bytes_received", totals.bytes_received}}}};
        const std::string line = summary.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
        std::fwrite(line.data(), 1, line.size(), stderr); // standard output is the command's
    } else if (!options.quiet) {
        sum_up(spec, *outcome, now_us() - started_us, options.user);
    }
    return outcome->status;
}

Result<int> run_detached(const RunOptions& options, const Paths& paths, Helper helper, const SessionSpec& spec) {
    Status unwritten;
    if (Status started = start_detached(paths, std::move(helper), spec, given_of(options), unwritten); !started)
        return tl::unexpected(started.error());
    if (!unwritten) complain(unwritten.error());
    if (options.json)
        print_json({{"id", spec.id}, {"name", spec.name}});
    else
        print(spec.id + "\n");
    if (!options.json && !options.quiet && ::isatty(STDERR_FILENO) == 1)
        say(fmt::format("{} runs without you; `belljar attach {}` shows its terminal", spec.name, spec.id));
    return 0;
}

constexpr std::uint64_t kMuch = 100ULL << 20; // of a home that stays behind: worth a line

// An empty private home goes with its session; a large one is mentioned. A kept home is nobody's to tidy.
void tidy_home(const RunOptions& options, const Paths& paths, const SessionSpec& spec) {
    const std::string home = paths.session(spec.id) + "/" + kHomeFolder;
    const TreeSize size = measure_tree(home, 50'000);
    if (size.whole && size.files == 0)
        (void)remove_tree(home); // it is tidiness only: what stays is `audit prune --homes`'s
    else if (size.bytes > kMuch && !options.quiet && !options.json)
        say(fmt::format("its private home holds {}{}; `belljar audit prune --homes` frees those of ended sessions",
                        size.whole ? "" : "more than ", in_bytes(size.bytes)));
}

Result<int> run(const RunOptions& options) {
    if (options.argv.empty()) return failure("run", "no command given", "`belljar run -- bash` starts a shell");
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    if (!options.name.empty())
        if (Status good = check_session_name(options.name); !good) return tl::unexpected(good.error());
    auto keys = DetachKeys::choose(options.detach_keys);
    if (!keys) return tl::unexpected(keys.error());
    const ForwardedSignals signals;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); // whom the helper leaves behind is ours to reap
    auto helper = start_helper();
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    if (!helper) return tl::unexpected(explain_failed_start(helper.error(), *place));
    if (Status clear = look_before_start(); !clear) return tl::unexpected(clear.error());
    const Paths& paths = place->paths;
    const StandardStreams streams = options.detach ? detached_streams() : look_at_standard_streams();
    std::optional<UserTerminal> terminal;
    if (streams.terminal >= 0)
        terminal.emplace(streams.terminal_input >= 0 ? streams.terminal_input : streams.terminal, streams.raw);
    std::vector<std::string> notes;
    const auto spec = prepare_start(*place, request_of(options, streams, terminal ? &*terminal : nullptr), notes);
    if (!options.quiet)
        for (const std::string& note : notes)
            say(note);
    if (!spec) return tl::unexpected(spec.error());

    if (Status ready = make_session_ready(paths, *spec); !ready)
        return tl::unexpected(explain_failed_start(ready.error(), *place));
    Result<int> status = options.detach ? run_detached(options, paths, std::move(*helper), *spec)
                                        : run_in_foreground(options, paths, std::move(*helper), *spec, streams,
                                                            terminal ? &*terminal : nullptr, signals, std::move(*keys));
    if (!status) {
        if (Status removed = remove_unborn(paths, spec->id); !removed) complain(removed.error());
        return tl::unexpected(explain_failed_start(status.error(), *place));
    }
    if (!options.detach) tidy_home(options, paths, *spec);
    return status;
}

std::shared_ptr<RunOptions> declare(Options& options) {
    auto chosen = std::make_shared<RunOptions>();
    options.value("-C,--directory", chosen->folder, ValueKind::Folder,
                  "The workspace: writable inside (here, unless given)");
    options.value("-p,--policy", chosen->policy, ValueKind::Policy, "A policy's name or file (\"default\")");
    options.value("-n,--name", chosen->name, ValueKind::Text, "A name for the session (the command's)");
    options.values("--allow", chosen->allow, ValueKind::Host, "One more host that may be reached; repeatable");
    options.values("--env", chosen->env, ValueKind::Variable, "One more environment variable that passes; repeatable");
    options.values("--read", chosen->read, ValueKind::File, "One more path that is visible, read-only; repeatable");
    options.flag("-d,--detach", chosen->detach, "Print the session's id and return at once");
    options.value("--detach-keys", chosen->detach_keys, ValueKind::Keys,
                  "The keys that leave the session without ending it (\"ctrl-]\"), or none");
    options.flag("-q,--quiet", chosen->quiet, "No summary at the end");
    options.flag("--json", chosen->json, "The summary (on standard error), or --detach's answer, as JSON");
    options.value("--user", chosen->user, ValueKind::User, "As root: the user who runs the session");
    options.command_line(chosen->argv);
    options.keep_given(chosen->given);
    return chosen;
}

int run_and_say(const RunOptions& options) {
    return told(run(options), kRunFailed);
}

} // namespace

Action declare_run(Options& options) {
    return [chosen = declare(options)] { return run_and_say(*chosen); };
}

int run_again(const RunAgain& again) {
    Options options("belljar run", "", "");
    const auto chosen = declare(options);
    if (const auto parsed = options.parse(again.words); !parsed) {
        complain(parsed.error());
        return kRunFailed;
    }
    chosen->name = again.name;
    chosen->detach = again.detach;
    chosen->quiet = again.quiet;
    chosen->json = again.json;
    return run_and_say(*chosen);
}

} // namespace belljar::cli
