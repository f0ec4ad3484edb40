#include "helper/supervisor/dns_callers.h"

namespace belljar {

void RecentDnsCallers::remember(const Endpoint& source, ProcessIdentity process) {
    callers_[source] = Caller{std::move(process), ++turn_};
    order_.emplace_back(turn_, source);
    while (order_.size() > kMost) {
        const auto [turn, endpoint] = order_.front();
        order_.pop_front();
        const auto found = callers_.find(endpoint);
        if (found != callers_.end() && found->second.turn == turn) callers_.erase(found);
    }
}

std::optional<ProcessIdentity> RecentDnsCallers::caller(const Endpoint& source) const {
    const auto found = callers_.find(source);
    if (found == callers_.end()) return std::nullopt;
    return found->second.process;
}

} // namespace belljar
