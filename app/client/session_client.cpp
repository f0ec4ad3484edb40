#include "app/client/session_client.h"

#include <chrono>
#include <fmt/format.h>

namespace belljar {
namespace {

constexpr int kGraceMs = 5000;

} // namespace

Result<varlink::Client> connect_to_session(const Place& place, const SessionRow& row) {
    using namespace std::chrono_literals;
    const std::string what = fmt::format("session {} ({})", row.name, row.id);
    switch (row.state) {
    case SessionState::Ended:
        return failure(what, "has ended", fmt::format("`belljar show {}` tells how", row.id));
    case SessionState::Lost:
        return failure(what, "is lost: nothing of it runs any more",
                       fmt::format("`belljar audit verify {}` tells what its record is worth", row.id));
    case SessionState::Starting:
    case SessionState::Running:
        break;
    }
    auto client = varlink::Client::connect(place.paths.session_runtime(row.id) + "/" + kSessionSocket);
    if (!client) return failure(what, "does not answer: " + client.error().message());
    if (Status set = client->set_timeout(10s); !set) return tl::unexpected(set.error());
    return client;
}

Result<std::optional<int>> stop_session(const Place& place, const SessionRow& row, bool force) {
    using namespace std::chrono_literals;
    auto session = connect_to_session(place, row);
    if (!session) return tl::unexpected(session.error());
    const std::string what = fmt::format("stop {} ({})", row.name, row.id);
    const std::string next = force ? "" : fmt::format("`belljar stop --force {}` ends it at once", row.id);
    if (const auto asked = session->call("org.belljar.Session.Stop", {{"grace_ms", force ? 0 : kGraceMs}}); !asked)
        return failure(what, asked.error().message(), next);
    if (Status set = session->set_timeout(std::chrono::milliseconds(kGraceMs) + 10s); !set)
        return tl::unexpected(set.error());
    const auto ended = session->call("org.belljar.Session.Wait");
    if (!ended && session_is_alive(place.paths, row.id)) return failure(what, ended.error().message(), next);
    return ended ? std::optional(ended->value("status", 0)) : std::nullopt;
}

SessionTotals totals_from(const nlohmann::json& totals) {
    const auto number = [&totals](const char* name) { return totals.value(name, std::uint64_t{0}); };
    return {number("allowed"), number("denied"), number("calls_denied"), number("bytes_sent"),
            number("bytes_received")};
}

void ask_for_totals(const Place& place, SessionRow& row) {
    using namespace std::chrono_literals;
    if (row.state != SessionState::Running) return;
    auto session = connect_to_session(place, row);
    if (!session || !session->set_timeout(500ms)) return;
    if (const auto described = session->call("org.belljar.Session.Describe"))
        row.totals = totals_from(described->value("totals", nlohmann::json::object()));
}

} // namespace belljar
