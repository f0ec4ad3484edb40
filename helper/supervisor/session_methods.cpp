// org.belljar.Session: what clients may ask of a running session (resources/interfaces/org.belljar.Session.varlink).
#include "helper/supervisor/session.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <limits>

namespace belljar {
namespace {

using varlink::json;
using varlink::Responder;

json totals_json(const SessionTotals& totals) {
    return {{"allowed", totals.allowed},
            {"denied", totals.denied},
            {"calls_denied", totals.calls_denied},
            {"bytes_sent", totals.bytes_sent},
            {"bytes_received", totals.bytes_received}};
}

std::string rfc3339(std::int64_t us) {
    const std::time_t seconds = us / 1'000'000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, us % 1'000'000);
}

json connection_json(const OpenConnection& open) {
    const Destination& to = open.destination;
    const ProcessIdentity process = open.process.value_or(ProcessIdentity{});
    return {{"conn", open.conn},
            {"host", to.name.empty() ? to.ip.text() : to.name},
            {"ip", open.reached.text()},
            {"port", to.port},
            {"pid", process.pid},
            {"exe", process.exe},
            {"argv", process.argv},
            {"bytes_sent", open.bytes_sent},
            {"bytes_received", open.bytes_received},
            {"since", rfc3339(open.since_us)}};
}

constexpr const char* kNoTerminal = "the session has no terminal";

void invalid(const Responder& responder, const char* parameter) {
    responder.error("org.varlink.service.InvalidParameter", {{"parameter", parameter}});
}

bool within(std::int64_t value, std::int64_t least, std::int64_t most) {
    return value >= least && value <= most;
}

} // namespace

void Session::register_methods() {
    const auto on = [this](const char* name, varlink::Handler handler) {
        service_.on(std::string("org.belljar.Session.") + name, std::move(handler));
    };
    on("Describe", [this](const json&, const Responder& responder) { describe(responder); });
    on("Wait", [this](const json&, const Responder& responder) { wait(responder); });
    on("Stop", [this](const json& parameters, const Responder& responder) {
        const auto grace = parameters.at("grace_ms").get<std::int64_t>();
        if (!within(grace, 0, 3'600'000)) return invalid(responder, "grace_ms");
        responder.reply(json::object());
        stop(std::chrono::milliseconds(grace), 128 + SIGKILL, "it was stopped", {SIGHUP, SIGTERM});
    });
    on("Signal", [this](const json& parameters, const Responder& responder) {
        const auto number = parameters.at("number").get<std::int64_t>();
        if (!within(number, 1, 64)) return invalid(responder, "number");
        signal(static_cast<int>(number));
        responder.reply(json::object());
    });
    on("Resize", [this](const json& parameters, const Responder& responder) {
        const auto rows = parameters.at("rows").get<std::int64_t>(),
                   columns = parameters.at("columns").get<std::int64_t>();
        if (!within(rows, 1, 65535)) return invalid(responder, "rows");
        if (!within(columns, 1, 65535)) return invalid(responder, "columns");
        const std::int64_t client = parameters.value("client", std::int64_t{kFirstClient});
        if (!within(client, 0, std::numeric_limits<int>::max())) return invalid(responder, "client");
        if (!terminal_) return responder.error("org.belljar.Session.NotFound", {{"reason", kNoTerminal}});
        if (!terminal_->resize(static_cast<int>(client), {static_cast<unsigned>(rows), static_cast<unsigned>(columns)}))
            return responder.error("org.belljar.Session.NotFound", {{"reason", "its terminal has no such client"}});
        responder.reply(json::object());
    });
    service_.on_upgrade("org.belljar.Session.Attach", [this](const json& parameters, const Responder& responder) {
        attach(parameters, responder);
    });
    on("Detach", [this](const json& parameters, const Responder& responder) {
        const auto client = parameters.at("client").get<std::int64_t>();
        if (!within(client, 0, std::numeric_limits<int>::max())) return invalid(responder, "client");
        detach(static_cast<int>(client), responder);
    });
    on("Events", [this](const json& parameters, const Responder& responder) {
        const auto after = parameters.at("after").get<std::int64_t>();
        if (after < 0) return invalid(responder, "after");
        events_.add(responder, server_.current(), static_cast<std::uint64_t>(after),
                    parameters.at("follow").get<bool>());
    });
    on("Connections", [this](const json&, const Responder& responder) {
        json list = json::array();
        if (door_ && stage_ == Stage::Running)
            for (const OpenConnection& open : door_->connections())
                list.push_back(connection_json(open));
        responder.reply({{"connections", std::move(list)}});
    });
    on("Cut", [this](const json& parameters, const Responder& responder) {
        const auto conn = parameters.at("conn").get<std::int64_t>();
        if (conn < 0) return invalid(responder, "conn");
        cut(static_cast<std::uint64_t>(conn), responder);
    });
    on("Layers", [this](const json&, const Responder& responder) {
        json list = json::array();
        for (const Layer& layer : layers_now())
            list.push_back(
                {{"name", layer.name}, {"state", layer.state}, {"detail", layer.detail}, {"source", layer.source}});
        responder.reply({{"layers", std::move(list)}});
    });
}

void Session::attach(const json& parameters, const Responder& responder) {
    const auto rows = parameters.at("rows").get<std::int64_t>(), columns = parameters.at("columns").get<std::int64_t>();
    if (!within(rows, 1, 65535)) return invalid(responder, "rows");
    if (!within(columns, 1, 65535)) return invalid(responder, "columns");
    const auto refuse = [&](const char* reason) {
        responder.error("org.belljar.Session.NotFound", {{"reason", reason}});
    };
    if (stage_ == Stage::Ending || stage_ == Stage::Ended) return refuse("the session is ending");
    if (!terminal_) return refuse(recorder_ && !spec_.terminal.any() ? kNoTerminal : "the session is still starting");
    const auto connection = server_.current();
    const auto number = terminal_->next_client();
    if (!number) return refuse("its terminal has as many clients as it takes");
    const TerminalSize size{static_cast<unsigned>(rows), static_cast<unsigned>(columns)};
    const bool read_only = parameters.at("read_only").get<bool>();
    const auto take = [this, number = *number, size, read_only](UniqueFd stream, std::string typed) {
        if (terminal_) terminal_->attach(number, std::move(stream), size, read_only, typed);
    };
    if (!connection || !connection->upgrade(take)) return invalid(responder, "upgrade");
    responder.reply({{"client", *number}});
}

void Session::detach(int client, const Responder& responder) {
    if (!terminal_) return responder.error("org.belljar.Session.NotFound", {{"reason", kNoTerminal}});
    if (client == kFirstClient && !detached_) {
        const TerminalSpec& streams = spec_.terminal;
        for (const auto& [kind, name] : {std::pair{streams.standard_input, "input"},
                                         std::pair{streams.standard_output, "output"},
                                         std::pair{streams.standard_error, "error"}})
            if (kind == StreamKind::Pipe)
                return responder.error("org.belljar.Session.NotDetachable",
                                       {{"reason", fmt::format("its standard {} is not the terminal", name)}});
        detached_ = true;
    }
    if (!terminal_->detach(client))
        return responder.error("org.belljar.Session.NotFound", {{"reason", "its terminal has no such client"}});
    responder.reply(json::object());
}

void Session::describe(const Responder& responder) {
    if (failure_) {
        if (stage_ == Stage::Ended) answered_ = true;
        return responder.error("org.belljar.Session.SessionFailed",
                               {{"stage", failure_->stage}, {"reason", failure_->reason}, {"next", failure_->next}});
    }
    if (!recorder_) return describing_.push_back(responder);
    const char* state = stage_ == Stage::Starting ? "starting" : stage_ == Stage::Running ? "running" : "ending";
    if (stage_ == Stage::Ended) answered_ = true;
    json reply = {{"id", spec_.id},
                  {"name", spec_.name},
                  {"state", state},
                  {"public_key", recorder_->public_key()},
                  {"version", BELLJAR_VERSION},
                  {"totals", totals_json(recorder_->totals())}};
    if (command_inner_ > 0) reply["command_pid"] = command_inner_;
    responder.reply(std::move(reply));
}

void Session::wait(const Responder& responder) {
    if (stage_ != Stage::Ended) return waiting_.push_back(responder);
    answered_ = true;
    if (failure_)
        return responder.error("org.belljar.Session.SessionFailed",
                               {{"stage", failure_->stage}, {"reason", failure_->reason}, {"next", failure_->next}});
    responder.reply({{"status", status_},
                     {"reason", reason_},
                     {"executed", command_inner_ != 0},
                     {"totals", totals_json(recorder_ ? recorder_->totals() : SessionTotals{})},
                     {"sealed", sealed_},
                     {"advice", denied_calls_ ? denied_calls_->advice() : std::string()}});
}

void Session::signal(int number) {
    if (stage_ != Stage::Running && stage_ != Stage::Starting) return;
    if (terminal_ && terminal_->signal_foreground(number)) return;
    // Init that does not take it is stuck; SIGKILL after the grace does not need it.
    (void)inside_.send(link::Type::SignalCommand, 0, number);
}

void Session::cut(std::uint64_t conn, const Responder& responder) {
    const auto connection = server_.current();
    NewEvent event{.kind = "policy-changed", .fields = Json::object()};
    event.fields["change"] = fmt::format("connection {} cut", conn);
    event.fields["by"] = connection ? connection->peer() : std::string("a client");
    const auto open = door_ && stage_ == Stage::Running ? door_->connections() : std::vector<OpenConnection>();
    const bool there = std::ranges::any_of(open, [&](const OpenConnection& each) { return each.conn == conn; });
    if (!there)
        return responder.error("org.belljar.Session.NotFound",
                               {{"reason", fmt::format("no open connection {}", conn)}});
    recorder_->note(std::move(event));
    door_->cut(conn, "cut by " + (connection ? connection->peer() : std::string("a client")));
    responder.reply(json::object());
}

std::vector<Layer> Session::layers_now() const {
    if (stage_ == Stage::Running && init_) {
        // The command may have ended and left others: any process of the session stands for it, the command first.
        if (const auto command = child_known_as(*init_, command_inner_); command && runs(*command))
            return read_command_layers(*command, *init_, spec_.syscalls.nested, reported_);
        return read_layers(*init_, false, reported_);
    }
    return reported_;
}

} // namespace belljar
