// `belljar run`: policy → spec → helper → session. A launch is 4 ms altogether, so the helper is started first, to get
// going while the policy is read, and whatever is not needed before the command runs (the copy of the spec, the index)
// is written by a thread of its own while the command already runs. The index itself is not even opened.
#include "app/cli/command.h"
#include "app/cli/doctor.h"
#include "app/cli/foreground.h"
#include "app/cli/git_folder.h"
#include "app/cli/launch.h"
#include "app/cli/missing_command.h"
#include "app/cli/output.h"
#include "app/cli/place.h"
#include "app/cli/rerun.h"
#include "app/cli/session_folders.h"
#include "core/policy/parse.h"
#include "core/policy/proxy.h"
#include "core/policy/spec_from_policy.h"
#include "core/record/index.h"
#include "core/record/lifecycle.h"
#include "core/record/reader.h"
#include "core/registries/meaning.h"
#include "core/system/files.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <sys/prctl.h>
#include <sys/stat.h>
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

// A session's display name where none was given: the command's.
std::string name_from(const std::string& program) {
    const std::string name = program.substr(program.rfind('/') + 1).substr(0, 64);
    return check_session_name(name) ? name : "session";
}

// --read is meant from where one stands, not from the workspace.
std::string from_here(const std::string& path) {
    const bool relative = !path.starts_with('/') && !path.starts_with('~');
    return relative ? real_path(path).value_or(path) : path;
}

// The first of them; `policy check` has the others. `unreadable` is what to do when the file cannot even be read.
tl::unexpected<Error> refuse(const Diagnostics& diagnostics, const char* unreadable) {
    const Diagnostic& first = diagnostics.front();
    if (first.line == 0) return failure("policy", first.text(), first.suggestion.empty() ? unreadable : "");
    const std::string check = "`belljar policy check " + first.file + "`";
    if (diagnostics.size() == 1) return failure("policy", first.text(), check + " tells when it is right");
    return failure("policy", first.text(), fmt::format("{} shows that and {} more", check, diagnostics.size() - 1));
}

struct Policies {
    Policy policy;
    std::vector<RegistryMeaning> registries;
};

// The user's policy, narrowed by the workspace's own where it has one, and what its registry words stand for.
Result<Policies> policy_for(const RunOptions& options, const Place& place, const std::string& workspace) {
    const auto policy = load_policy(options.policy, place.paths.config);
    if (!policy) return refuse(policy.error(), "`belljar policy list` names those that are there");
    const auto narrower = load_workspace_policy(workspace);
    if (!narrower) return refuse(narrower.error(), "remove it, or make it a file of yours");
    const auto words = registry_words_of(*policy, options.allow, *narrower ? &**narrower : nullptr);
    Result<std::vector<RegistryMeaning>> registries;
    if (!words.empty()) {
        const auto sources = registry_sources(*policy, place, workspace);
        registries = sources ? find_registries(words, *sources) : tl::unexpected(sources.error());
    }
    if (!registries) return tl::unexpected(registries.error());
    if (!*narrower) return Policies{*policy, std::move(*registries)};
    std::vector<std::string> notes;
    Policy both = narrow(*policy, **narrower, notes, *registries, options.allow);
    if (!options.quiet)
        for (const std::string& note : notes)
            say(note);
    return Policies{std::move(both), std::move(*registries)};
}

SessionRequest request_for(const RunOptions& options, const Place& place, const StandardStreams& streams,
                           const UserTerminal* terminal) {
    SessionRequest request;
    request.id = new_session_id();
    request.name = options.name.empty() ? name_from(options.argv[0]) : options.name;
    request.argv = options.argv;
    request.extra_allow = options.allow;
    request.extra_env = options.env;
    for (const std::string& path : options.read)
        request.extra_read.push_back(from_here(path));
    request.environment = environment();
    request.account = place.account;
    request.terminal.standard_input = streams.kinds[0];
    request.terminal.standard_output = streams.kinds[1];
    request.terminal.standard_error = streams.kinds[2];
    const WindowSize size = terminal != nullptr ? terminal->size() : WindowSize{};
    request.terminal.rows = size.rows;
    request.terminal.columns = size.columns;
    request.detached = options.detach;
    request.state_folder = place.paths.session(request.id);
    request.runtime_folder = place.paths.session_runtime(request.id);
    request.homes_folder = place.paths.homes();
    return request;
}

// What later commands want to know of the session: its spec, and its row for the index.
Status write_down(const RunOptions& options, const Paths& paths, const SessionSpec& spec, const std::string& public_key,
                  std::int64_t started_us) {
    char here[PATH_MAX];
    if (::getcwd(here, sizeof here) != nullptr)
        if (Status kept = keep_request(spec.state_folder, {here, options.given}); !kept) return kept;
    const std::string kept = to_json(spec_for_disk(spec));
    if (Status written = write_file(spec.state_folder + "/" + kSpecFile, kept, 0600); !written) return written;
    SessionRow row;
    row.id = spec.id;
    row.name = spec.name;
    std::vector<std::string> argv;
    for (const std::string& argument : spec.argv)
        argv.push_back(bytes_to_text(argument));
    row.command = command_line(argv);
    row.workspace = spec.workspace;
    row.policy = spec.policy_name;
    row.public_key = public_key;
    row.started_us = started_us;
    return SessionIndex::announce(paths, row);
}

// The folders of a session that never began hold nothing worth keeping: a record without an event was only made ready
// by a supervisor that the helper then ended. What cannot be read is kept.
void remove_unborn(const Paths& paths, const std::string& id) {
    const std::string record = paths.session(id) + "/" + kRecordFile;
    struct stat st {};
    if (::stat(record.c_str(), &st) == 0 && st.st_size > 0) {
        const auto reader = RecordReader::open(record);
        if (!reader || (*reader)->last_sequence() > 0 || session_is_alive(paths, id)) return;
    }
    if (Status removed = remove_session_folders(paths, id); !removed) complain(removed.error());
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

Result<int> run_in_foreground(const RunOptions& options, const Place& place, Helper helper, const SessionSpec& spec,
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
                              writing = std::jthread([&written, &options, &place, &spec, key, started_us] {
                                  written = write_down(options, place.paths, spec, key, started_us);
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

Result<int> run_detached(const RunOptions& options, const Place& place, Helper helper, const SessionSpec& spec) {
    if (Status sent = send_start(helper, spec, {}); !sent) return tl::unexpected(sent.error());
    if (Status answered = await_started(helper); !answered) return tl::unexpected(answered.error());
    auto session = varlink::Client::connect(spec.runtime_folder + "/" + kSessionSocket);
    if (!session) return tl::unexpected(session.error());
    const auto description = session->call("org.belljar.Session.Describe");
    if (!description) return tl::unexpected(description.error());
    if (Status written =
            write_down(options, place.paths, spec, description->value("public_key", std::string()), now_us());
        !written)
        complain(written.error());
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
    if (is_real_root())
        return failure("run", "root would be the session's user", "name one: `belljar run --user NAME …`");
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
    const auto workspace = check_workspace(options.folder.empty() ? "." : options.folder, place->account,
                                           {paths.state, paths.runtime, paths.config});
    if (!workspace) return tl::unexpected(workspace.error());
    auto policies = policy_for(options, *place, *workspace);
    if (!policies) return tl::unexpected(policies.error());

    const StandardStreams streams = options.detach ? detached_streams() : look_at_standard_streams();
    std::optional<UserTerminal> terminal;
    if (streams.terminal >= 0)
        terminal.emplace(streams.terminal_input >= 0 ? streams.terminal_input : streams.terminal, streams.raw);
    SessionRequest request = request_for(options, *place, streams, terminal ? &*terminal : nullptr);
    request.workspace = request.working_directory = *workspace;
    request.registries = std::move(policies->registries);
    auto proxy = proxy_from_environment(request.environment);
    if (proxy)
        request.proxy = std::move(*proxy);
    else if (reaches_anything(policies->policy, request))
        return tl::unexpected(proxy.error()); // else nothing goes that way
    const auto spec = make_session_spec(policies->policy, request);
    if (!spec) return tl::unexpected(spec.error());
    if (spec->workspace_writable)
        if (Status writable = check_workspace_writable(*workspace); !writable) return tl::unexpected(writable.error());
    if (!options.quiet)
        if (const std::string note = note_of_hidden_git_folder(*spec); !note.empty()) say(note);

    if (Status made = make_session_folders(paths, spec->id); !made)
        return tl::unexpected(explain_failed_start(made.error(), *place));
    const Status kept =
        spec->kept_home.empty() ? Status() : make_kept_home(paths, policies->policy.workspace.home);
    Result<int> status =
        !kept            ? tl::unexpected(kept.error())
        : options.detach ? run_detached(options, *place, std::move(*helper), *spec)
                         : run_in_foreground(options, *place, std::move(*helper), *spec, streams,
                                             terminal ? &*terminal : nullptr, signals, std::move(*keys));
    if (!status) {
        remove_unborn(paths, spec->id);
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
    const auto status = run(options);
    if (status) return *status;
    complain(status.error());
    return kRunFailed;
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
