// `belljar audit verify`: whether records are whole, against what the index and the folder's name say of them.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/place.h"
#include "core/record/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct VerifyOptions {
    std::vector<std::string> sessions;
    bool json = false;
    std::string user;
};

struct Verified {
    std::string asked, path;
    VerifyReport report;
};

std::string word_for(RecordState state) {
    switch (state) {
    case RecordState::Sealed:
        return "sealed and whole";
    case RecordState::Broken:
        return "BROKEN";
    case RecordState::Unsealed:
        return "whole but unsealed";
    case RecordState::Unreadable:
        return "not readable";
    }
    return "";
}

std::string state_name(RecordState state) {
    switch (state) {
    case RecordState::Sealed:
        return "sealed";
    case RecordState::Broken:
        return "broken";
    case RecordState::Unsealed:
        return "unsealed";
    case RecordState::Unreadable:
        return "unreadable";
    }
    return "";
}

Verified unreadable(const std::string& asked, const std::string& fault) {
    Verified verified{asked, {}, {}};
    verified.report.fault = fault;
    return verified;
}

Verified verify(const Place& place, const std::string& asked) {
    struct stat st {};
    if (asked.find('/') != std::string::npos) {
        if (::stat(asked.c_str(), &st) != 0)
            return unreadable(asked, "no such file; `belljar ls --all` lists the sessions whose ids go here");
        return {asked, asked, verify_record(asked)};
    }
    const auto path_of = [&place](const std::string& id) { return place.paths.session(id) + "/" + kRecordFile; };
    if (const auto row = find_session(place, asked))
        return {asked, path_of(row->id), verify_record(path_of(row->id), row->id, row->public_key)};
    else if (!is_session_id(asked) || ::stat(place.paths.session(asked).c_str(), &st) != 0)
        return unreadable(asked, row.error().message());
    return {asked, path_of(asked), verify_record(path_of(asked), asked)}; // the index cannot say anything of it
}

Json to_json(const Verified& verified) {
    const VerifyReport& report = verified.report;
    return {{"session", report.session_id.empty() ? verified.asked : report.session_id},
            {"path", verified.path},
            {"state", state_name(report.state)},
            {"events", report.events},
            {"broken_at", report.broken_at},
            {"fault", report.fault},
            {"public_key", report.public_key},
            {"head_hash", report.head_hash},
            {"exit_status", report.exit_status()}};
}

std::string to_words(const Verified& verified, bool colour) {
    const VerifyReport& report = verified.report;
    const Tint tint = report.state == RecordState::Sealed     ? Tint::Good
                      : report.state == RecordState::Unsealed ? Tint::Warn
                                                              : Tint::Bad;
    std::string line = fmt::format("{}: {}", visible(verified.asked), tinted(word_for(report.state), tint, colour));
    if (report.state != RecordState::Unreadable)
        line += fmt::format(", {} verified", counted(report.events, "event", "events"));
    if (!report.fault.empty()) line += ": " + visible(report.fault);
    if (report.state == RecordState::Sealed)
        line += fmt::format("\n  key {}\n  head {}", visible(report.public_key), visible(report.head_hash));
    return line + "\n";
}

// The worst of several: broken, then not readable, then unsealed.
int worse(int a, int b) {
    const auto rank = [](int status) { return status == 1 ? 3 : status == 3 ? 2 : status == 2 ? 1 : 0; };
    return rank(a) >= rank(b) ? a : b;
}

int verify_all(const VerifyOptions& options) {
    static constexpr int kNotReadable = 3;
    Status became = become_user(options.user);
    const auto place = became ? find_place() : Result<Place>(tl::unexpected(became.error()));
    if (!place) {
        complain(place.error());
        return kNotReadable;
    }
    int status = 0;
    Json all = Json::array();
    for (const std::string& session : options.sessions) {
        const Verified verified = verify(*place, session);
        status = worse(status, verified.report.exit_status());
        if (options.json)
            all.push_back(to_json(verified));
        else
            print(to_words(verified, wants_colour(STDOUT_FILENO)));
    }
    if (options.json) print_json(all);
    return status;
}

} // namespace

Action declare_audit_verify(Options& options) {
    auto chosen = std::make_shared<VerifyOptions>();
    options.positionals("ID", chosen->sessions, ValueKind::Session,
                        "Sessions, by id, unique prefix or name, or record files (with a '/')");
    options.flag("--json", chosen->json, "A JSON array, one object for each");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose sessions");
    return [chosen] { return verify_all(*chosen); };
}

} // namespace belljar::cli
