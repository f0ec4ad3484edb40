#include "app/desktop/start/start_desk.h"

#include "app/client/doctor.h"
#include "app/client/wording.h"
#include "core/policy/parse.h"
#include "core/record/lifecycle.h"
#include "core/session/identity.h"

#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace belljar {
namespace {

// Those that people run, by the names of their programs.
constexpr const char* kAgents[] = {"claude", "codex", "gemini", "opencode", "aider", "goose", "cursor-agent"};

QString text(const std::string& bytes) { return QString::fromStdString(bytes); }

bool is_in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (folder.starts_with('/') && ::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

// Which part of the form an error is about, by what the checks call it.
QString field_of(const Error& error) {
    const auto begins = [&](const char* with) { return error.what.starts_with(with); };
    if (begins("workspace")) return QStringLiteral("workspace");
    if (begins("policy")) return QStringLiteral("policy");
    if (begins("host pattern")) return QStringLiteral("hosts");
    if (begins("session name") || begins("name")) return QStringLiteral("name");
    return {};
}

void describe(const SessionSpec& spec, StartJudgement& judgement) {
    for (const EgressRules& rules : spec.egress)
        for (const std::string& host : rules.allow)
            if (!judgement.reaches.contains(text(host))) judgement.reaches << text(host);
    for (const MountSpec& mount : spec.mounts) {
        if (mount.mode == MountMode::Write) judgement.writes << text(mount.path);
        if (mount.mode == MountMode::Read) judgement.reads << text(mount.path);
    }
    judgement.home = text(spec.kept_home.substr(spec.kept_home.rfind('/') + 1));
    judgement.workspace_writable = spec.workspace_writable;
}

} // namespace

std::optional<StartRequest> StartDesk::request_of(const StartForm& form, StartJudgement& judgement) {
    const auto refuse = [&](const char* field, const QString& error) {
        judgement.field = QString::fromLatin1(field);
        judgement.error = error;
        return std::nullopt;
    };
    const auto argv = split_command_line(form.command.toStdString());
    if (!argv) return refuse("command", tr("A quote in the command is not closed."));
    if (argv->empty() || argv->front().empty()) return refuse("command", tr("No command yet."));
    if (form.workspace.trimmed().isEmpty()) return refuse("workspace", tr("No workspace yet: the folder that the session may write to."));
    StartRequest request;
    request.argv = *argv;
    request.folder = form.workspace.toStdString();
    if (request.folder.starts_with("~/"))
        if (const char* home = std::getenv("HOME"); home != nullptr) request.folder.replace(0, 1, home);
    request.policy = form.policy.toStdString();
    request.name = form.name.trimmed().toStdString();
    if (!request.name.empty())
        if (Status good = check_session_name(request.name); !good) return refuse("name", text(good.error().message()));
    for (const QString& host : form.hosts)
        if (!host.trimmed().isEmpty()) request.allow.push_back(host.trimmed().toStdString());
    request.terminal.standard_input = request.terminal.standard_output = request.terminal.standard_error = StreamKind::Terminal;
    request.detached = true;
    return request;
}

std::vector<std::string> StartDesk::words_of(const StartRequest& request) {
    std::vector<std::string> words{"-C", request.folder, "-p", request.policy};
    if (!request.name.empty()) words.insert(words.end(), {"-n", request.name});
    for (const std::string& host : request.allow)
        words.insert(words.end(), {"--allow", host});
    words.push_back("--");
    words.insert(words.end(), request.argv.begin(), request.argv.end());
    return words;
}

void StartDesk::look_for_offers() {
    QList<PolicyChoice> policies;
    for (const PolicyListing& policy : list_policies(place_.paths.config))
        policies.append({text(policy.name), text(policy.summary), text(policy.origin)});
    QStringList agents;
    for (const char* agent : kAgents)
        if (is_in_path(agent)) agents << QString::fromLatin1(agent);
    emit offers(policies, agents);
}

void StartDesk::judge(const StartForm& form, int number) {
    StartJudgement judgement;
    if (const auto request = request_of(form, judgement)) {
        std::vector<std::string> words = words_of(*request);
        words.insert(words.begin(), {"belljar", "run"});
        judgement.command_line = text(command_line(words));
        std::vector<std::string> notes;
        if (const auto spec = prepare_start(place_, *request, notes)) {
            describe(*spec, judgement);
        } else {
            judgement.error = text(spec.error().message());
            judgement.field = field_of(spec.error());
        }
        for (const std::string& note : notes)
            judgement.notes << text(note);
    }
    emit judged(judgement, number);
}

void StartDesk::start(const StartForm& form) {
    const auto refuse = [this](const Error& error) { emit refused(text(error.message())); };
    StartJudgement judgement;
    const auto request = request_of(form, judgement);
    if (!request) return emit refused(judgement.error);
    auto helper = start_helper();
    if (!helper) return refuse(explain_failed_start(helper.error(), place_));
    if (Status clear = look_before_start(); !clear) return refuse(clear.error());
    std::vector<std::string> notes;
    const auto spec = prepare_start(place_, *request, notes);
    if (!spec) return refuse(spec.error());
    if (Status ready = make_session_ready(place_.paths, *spec); !ready) return refuse(explain_failed_start(ready.error(), place_));
    Status unwritten;
    const GivenRequest given{place_.account.home, words_of(*request)};
    if (Status begun = start_detached(place_.paths, std::move(*helper), *spec, given, unwritten); !begun) {
        (void)remove_unborn(place_.paths, spec->id); // what cannot be removed is `audit prune`'s
        return refuse(explain_failed_start(begun.error(), place_));
    }
    emit started(text(spec->id), text(spec->name));
}

} // namespace belljar
