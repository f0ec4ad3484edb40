// `belljar show`: everything about one session on one screen: from the index and the record, and while it runs from
// itself.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/session_client.h"
#include "core/record/event_bytes.h"
#include "core/record/reader.h"
#include "core/session/spec.h"
#include "core/system/files.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace belljar::cli {
namespace {

struct ShowOptions {
    std::string session, user;
    bool json = false;
};

// What the record itself says at its beginning and its end. A damaged record leaves them null, and `fault` says why.
struct FromRecord {
    Json started, ended;
    std::string fault;
};

FromRecord read_ends(const Place& place, const std::string& id) {
    FromRecord ends;
    auto record = RecordReader::open(place.paths.session(id) + "/" + kRecordFile);
    if (!record) {
        ends.fault = record.error().message();
        return ends;
    }
    const std::uint64_t last = (*record)->last_sequence();
    const auto take_first = [](Json& into) {
        return [&into](const StoredEvent& event) {
            into = event.parsed();
            return false;
        };
    };
    Status read = (*record)->for_each(0, take_first(ends.started));
    if (read && last > 1) read = (*record)->for_each(last - 1, take_first(ends.ended));
    if (!read) ends.fault = read.error().message();
    if (!ends.ended.is_object() || ends.ended.value("kind", "") != "session-ended") ends.ended = Json();
    return ends;
}

Json from_session(const Place& place, const SessionRow& row) {
    Json live = Json::object();
    auto session = connect_to_session(place, row);
    if (!session) return Json{{"error", session.error().message()}};
    for (const auto& [name, method] :
         {std::pair{"describe", "Describe"}, std::pair{"layers", "Layers"}, std::pair{"connections", "Connections"}}) {
        const auto reply = session->call(std::string("org.belljar.Session.") + method);
        if (!reply) return Json{{"error", reply.error().message()}};
        live[name] = Json::parse(reply->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
    }
    live["layers"] = live["layers"].value("layers", Json::array());
    live["connections"] = live["connections"].value("connections", Json::array());
    return live;
}

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true, Json::error_handler_t::replace);
}
std::string member(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? std::string() : text_of(*found);
}

class Sheet {
public:
    explicit Sheet(bool colour) : colour_(colour) {}
    void line(const std::string& label, const std::string& text, Tint tint = Tint::None) {
        if (text.empty()) return;
        out_ += tinted(fmt::format("{:<12}", label), Tint::Dim, colour_) + " " + tinted(visible(text), tint, colour_) +
                "\n";
    }
    const std::string& text() const { return out_; }

private:
    bool colour_;
    std::string out_;
};

Tint layer_tint(const std::string& state) {
    return state == "enforced" ? Tint::Good : state == "missing" ? Tint::Bad : Tint::Dim;
}

void add_layers(Sheet& sheet, const Json& layers) {
    std::string label = "layers";
    for (const Json& layer : layers) {
        if (!layer.is_object()) continue;
        const std::string state = member(layer, "state"), detail = member(layer, "detail");
        sheet.line(label, fmt::format("{:<18} {}{}", member(layer, "name"), state, detail.empty() ? "" : "  " + detail),
                   layer_tint(state));
        label = " ";
    }
}

void add_connections(Sheet& sheet, const Json& connections) {
    std::string label = "open";
    for (const Json& connection : connections) {
        if (!connection.is_object()) continue;
        const std::string host = member(connection, "host");
        sheet.line(label, fmt::format("#{} {}:{} by {} (pid {}), {} sent, {} received", member(connection, "conn"),
                                      host.empty() ? member(connection, "ip") : host, member(connection, "port"),
                                      member(connection, "exe"), member(connection, "pid"),
                                      in_bytes(connection.value("bytes_sent", std::uint64_t{0})),
                                      in_bytes(connection.value("bytes_received", std::uint64_t{0}))));
        label = " ";
    }
}

bool runs(const SessionRow& row) {
    return row.state == SessionState::Running || row.state == SessionState::Starting;
}

std::string state_line(const SessionRow& row) {
    std::string line = state_word(row.state);
    if (row.state == SessionState::Lost) line += ": its supervisor died before the record was sealed";
    if (row.status) line += fmt::format(" with status {}", *row.status);
    if (!row.reason.empty()) line += ": " + row.reason;
    return line;
}

std::string in_words(const SessionRow& row, const FromRecord& ends, const Json& live) {
    Sheet sheet(wants_colour(STDOUT_FILENO));
    sheet.line("session", fmt::format("{} ({})", row.name, row.id), Tint::Bold);
    sheet.line("state", state_line(row), row.state == SessionState::Lost ? Tint::Bad : Tint::None);
    sheet.line("command", row.command);
    sheet.line("workspace", row.workspace);
    if (ends.started.is_object() && ends.started.contains("home"))
        sheet.line("home", member(ends.started, "home") + ", kept and shared by name");
    sheet.line("policy", row.policy);
    sheet.line("started", fmt::format("{} ({} ago)", in_date(row.started_us), in_time(now_us() - row.started_us)));
    if (row.ended_us != 0)
        sheet.line("ended",
                   fmt::format("{} (after {})", in_date(row.ended_us), in_time(row.ended_us - row.started_us)));
    const SessionTotals& totals = row.totals;
    sheet.line("egress", fmt::format("{} allowed, {} denied, {} sent, {} received", totals.allowed, totals.denied,
                                     in_bytes(totals.bytes_sent), in_bytes(totals.bytes_received)));
    sheet.line("calls", fmt::format("{} denied", totals.calls_denied));
    if (live.contains("layers")) {
        add_layers(sheet, live["layers"]);
        add_connections(sheet, live["connections"]);
    } else if (ends.started.is_object()) {
        add_layers(sheet, ends.started.value("layers", Json::array()));
    }
    if (live.contains("error")) sheet.line("live", member(live, "error"), Tint::Warn);
    sheet.line("record",
               !ends.fault.empty() ? ends.fault
               : row.sealed        ? "sealed"
               : runs(row)         ? "being written"
                                   : "not sealed",
               ends.fault.empty() ? Tint::None : Tint::Bad);
    sheet.line("more", fmt::format("belljar audit show {}", row.id), Tint::Dim);
    return sheet.text();
}

Result<int> show(const ShowOptions& options) {
    if (Status became = become_user(options.user); !became) return tl::unexpected(became.error());
    const auto place = find_place();
    if (!place) return tl::unexpected(place.error());
    auto row = find_session(*place, options.session);
    if (!row) return tl::unexpected(row.error());
    ask_for_totals(*place, *row);
    const FromRecord ends = read_ends(*place, row->id);
    const bool live_too = runs(*row);
    const Json live = live_too ? from_session(*place, *row) : Json::object();
    if (!options.json) {
        print(in_words(*row, ends, live));
        return 0;
    }
    Json out = row_json(*row);
    const auto spec = read_file(place->paths.session(row->id) + "/" + kSpecFile, kMaxSpecBytes);
    Json parsed = spec ? Json::parse(*spec, nullptr, false) : Json();
    out["spec"] = parsed.is_discarded() ? Json() : parsed;
    out["started"] = ends.started;
    out["ended"] = ends.ended;
    if (!ends.fault.empty()) out["record_fault"] = ends.fault;
    if (live_too) out["live"] = live;
    print_json(out);
    return 0;
}

} // namespace

Action declare_show(Options& options) {
    auto chosen = std::make_shared<ShowOptions>();
    options.positional("ID", chosen->session, ValueKind::Session, "A session, by id, unique prefix or name");
    options.flag("--json", chosen->json, "A JSON object: the row of `ls`, spec, first and last event, and what runs");
    options.value("--user", chosen->user, ValueKind::User, "As root: whose session");
    return [chosen] { return told(show(*chosen)); };
}

} // namespace belljar::cli
