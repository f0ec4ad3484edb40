#include "app/client/start.h"

#include "app/client/git_folder.h"
#include "app/client/session_folders.h"
#include "app/client/wording.h"
#include "core/policy/parse.h"
#include "core/policy/proxy.h"
#include "core/policy/spec_from_policy.h"
#include "core/record/event_bytes.h"
#include "core/record/index.h"
#include "core/record/lifecycle.h"
#include "core/record/reader.h"
#include "core/registries/meaning.h"
#include "core/system/files.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace belljar {
namespace {

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
Result<Policies> policy_for(const StartRequest& request, const Place& place, const std::string& workspace,
                            std::vector<std::string>& notes) {
    const auto policy = load_policy(request.policy, place.paths.config);
    if (!policy) return refuse(policy.error(), "`belljar policy list` names those that are there");
    const auto narrower = load_workspace_policy(workspace);
    if (!narrower) return refuse(narrower.error(), "remove it, or make it a file of yours");
    const auto words = registry_words_of(*policy, request.allow, *narrower ? &**narrower : nullptr);
    Result<std::vector<RegistryMeaning>> registries;
    if (!words.empty()) {
        const auto sources = registry_sources(*policy, place, workspace);
        registries = sources ? find_registries(words, *sources) : tl::unexpected(sources.error());
    }
    if (!registries) return tl::unexpected(registries.error());
    if (!*narrower) return Policies{*policy, std::move(*registries)};
    Policy both = narrow(*policy, **narrower, notes, *registries, request.allow);
    return Policies{std::move(both), std::move(*registries)};
}

SessionRequest session_request(const StartRequest& request, const Place& place) {
    SessionRequest out;
    out.id = new_session_id();
    out.name = request.name.empty() ? name_from(request.argv[0]) : request.name;
    out.argv = request.argv;
    out.extra_allow = request.allow;
    out.extra_env = request.env;
    for (const std::string& path : request.read)
        out.extra_read.push_back(from_here(path));
    out.environment = environment();
    out.account = place.account;
    out.terminal = request.terminal;
    out.detached = request.detached;
    out.state_folder = place.paths.session(out.id);
    out.runtime_folder = place.paths.session_runtime(out.id);
    out.homes_folder = place.paths.homes();
    return out;
}

} // namespace

Result<SessionSpec> prepare_start(const Place& place, const StartRequest& request, std::vector<std::string>& notes) {
    if (is_real_root())
        return failure("run", "root would be the session's user", "name one: `belljar run --user NAME …`");
    const Paths& paths = place.paths;
    const auto workspace = check_workspace(request.folder.empty() ? "." : request.folder, place.account,
                                           {paths.state, paths.runtime, paths.config});
    if (!workspace) return tl::unexpected(workspace.error());
    auto policies = policy_for(request, place, *workspace, notes);
    if (!policies) return tl::unexpected(policies.error());
    SessionRequest wanted = session_request(request, place);
    wanted.workspace = wanted.working_directory = *workspace;
    wanted.registries = std::move(policies->registries);
    auto proxy = proxy_from_environment(wanted.environment);
    if (proxy)
        wanted.proxy = std::move(*proxy);
    else if (reaches_anything(policies->policy, wanted))
        return tl::unexpected(proxy.error()); // else nothing goes that way
    auto spec = make_session_spec(policies->policy, wanted);
    if (!spec) return spec;
    if (spec->workspace_writable)
        if (Status writable = check_workspace_writable(*workspace); !writable) return tl::unexpected(writable.error());
    if (std::string note = note_of_hidden_git_folder(*spec); !note.empty()) notes.push_back(std::move(note));
    return spec;
}

Status make_session_ready(const Paths& paths, const SessionSpec& spec) {
    if (Status made = make_session_folders(paths, spec.id); !made) return made;
    return spec.kept_home.empty() ? Status() : make_kept_home(paths, spec.kept_home.substr(spec.kept_home.rfind('/') + 1));
}

Status write_down(const Paths& paths, const SessionSpec& spec, const GivenRequest& given, const std::string& public_key,
                  std::int64_t started_us) {
    if (!given.directory.empty())
        if (Status kept = keep_request(spec.state_folder, given); !kept) return kept;
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

Status start_detached(const Paths& paths, Helper helper, const SessionSpec& spec, const GivenRequest& given, Status& unwritten) {
    if (Status sent = send_start(helper, spec, {}); !sent) return sent;
    if (Status answered = await_started(helper); !answered) return answered;
    auto session = varlink::Client::connect(spec.runtime_folder + "/" + kSessionSocket);
    if (!session) return tl::unexpected(session.error());
    const auto description = session->call("org.belljar.Session.Describe");
    if (!description) return tl::unexpected(description.error());
    unwritten = write_down(paths, spec, given, description->value("public_key", std::string()), now_us());
    return {};
}

Status remove_unborn(const Paths& paths, const std::string& id) {
    const std::string record = paths.session(id) + "/" + kRecordFile;
    struct stat st {};
    if (::stat(record.c_str(), &st) == 0 && st.st_size > 0) {
        const auto reader = RecordReader::open(record);
        if (!reader || (*reader)->last_sequence() > 0 || session_is_alive(paths, id)) return {};
    }
    return remove_session_folders(paths, id);
}

} // namespace belljar
