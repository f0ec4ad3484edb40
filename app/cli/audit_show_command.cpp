// `belljar audit show`: a record in words or as JSON Lines; with --follow on to its end, told by the running session.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/session_client.h"
#include "core/record/export.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <thread>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct AuditOptions {
    std::string session, user;
    bool follow = false, json = false;
};

Tint tint_of(const std::string& bytes) {
    const auto has = [&bytes](std::string_view part) { return bytes.find(part) != std::string::npos; };
    if (has("\"kind\":\"syscall-denied\"") || has("\"verdict\":\"denied\"")) return Tint::Bad;
    if (has("\"kind\":\"planted\"") || has("\"verdict\":\"held\"")) return Tint::Warn;
    if (has("\"verdict\":\"allowed\"")) return Tint::Good;
    return Tint::None;
}

class Printer {
public:
    explicit Printer(bool json) : json_(json), colour_(!json && wants_colour(STDOUT_FILENO)) {}

    std::uint64_t last() const { return last_; }
    void event(const StoredEvent& event) {
        last_ = event.seq;
        if (json_) {
            // The bytes as stored; where they hold more than ASCII, the same object escaped, so that none speaks to a
            // terminal.
            const bool plain =
                std::all_of(event.bytes.begin(), event.bytes.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
            print((plain ? event.bytes : event.parsed().dump(-1, ' ', true, Json::error_handler_t::replace)) + "\n");
            return;
        }
        print(tinted(visible(in_words(event)), colour_ ? tint_of(event.bytes) : Tint::None, colour_) + "\n");
    }

private:
    bool json_, colour_;
    std::uint64_t last_ = 0;
};

Status print_record(const std::string& path, Printer& printer) {
    const auto record = RecordReader::open(path);
    if (!record) return tl::unexpected(record.error());
    return (*record)->for_each(printer.last(), [&printer](const StoredEvent& event) {
        printer.event(event);
        return true;
    });
}

// Events as the session tells them. It may not be told of yet, or end under us: the record has the rest.
void print_live(const Place& place, const SessionRow& row, Printer& printer) {
    auto session = connect_to_session(place, row);
    if (!session || !session->set_timeout(std::chrono::milliseconds(0))) return;
    const auto each = [&printer](const nlohmann::json& parameters) {
        const auto event = parameters.find("event");
        if (event == parameters.end() || !event->is_object()) return false;
        const std::uint64_t seq = event->value("seq", std::uint64_t{0});
        if (seq <= printer.last()) return true;
        printer.event({seq, event->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
        std::fflush(stdout);
        return true;
    };
    (void)session->stream("org.belljar.Session.Events", {{"after", printer.last()}, {"follow", true}}, each);
}

Result<int> show(const AuditOptions& options) {
    using namespace std::chrono_literals;
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    const auto row = find_session(*place, options.session);
    if (!row) return tl::unexpected(row.error());
    const std::string path = place->paths.session(row->id) + "/" + kRecordFile;
    Printer printer(options.json);
    for (;;) {
        const bool alive =
            options.follow && session_is_alive(place->paths, row->id); // asked first: what comes after is in the record
        if (Status printed = print_record(path, printer); !printed) return tl::unexpected(printed.error());
        if (!alive) return 0;
        std::fflush(stdout);
        print_live(*place, *row, printer);
        if (session_is_alive(place->paths, row->id)) std::this_thread::sleep_for(100ms);
    }
}

} // namespace

Action declare_audit_show(Options& options) {
    auto chosen = std::make_shared<AuditOptions>();
    options.positional("ID", chosen->session, ValueKind::Session, "A session, by id, unique prefix or name");
    options.flag("-f,--follow", chosen->follow, "Go on with what happens, until the session ends");
    options.flag("--json", chosen->json, "JSON Lines, one event a line");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose session");
    return [chosen] { return told(show(*chosen)); };
}

} // namespace belljar::cli
