#include "app/cli/session_client.h"

#include <chrono>
#include <fmt/format.h>

namespace belljar::cli {

Result<varlink::Client> connect_to_session(const Place& place, const SessionRow& row) {
    using namespace std::chrono_literals;
    const std::string what = fmt::format("session {} ({})", row.name, row.id);
    switch (row.state) {
    case SessionState::Ended: return failure(what, "has ended", fmt::format("`belljar show {}` tells how", row.id));
    case SessionState::Lost:
        return failure(what, "is lost: nothing of it runs any more", fmt::format("`belljar audit verify {}` tells what its record is worth", row.id));
    case SessionState::Starting:
    case SessionState::Running: break;
    }
    auto client = varlink::Client::connect(place.paths.session_runtime(row.id) + "/" + kSessionSocket);
    if (!client) return failure(what, "does not answer: " + client.error().message());
    if (Status set = client->set_timeout(10s); !set) return tl::unexpected(set.error());
    return client;
}

} // namespace belljar::cli
