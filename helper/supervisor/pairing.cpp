#include "helper/supervisor/pairing.h"

#include <algorithm>

namespace belljar {
namespace {

constexpr std::size_t kMaxArrivals = 1024; // that wait for a verdict at once

// Takes out what is over, oldest key first.
template <class Map, class Then>
void take_out(Map& map, std::chrono::steady_clock::time_point now, const Then& then) {
    std::vector<typename Map::node_type> over;
    for (auto at = map.begin(); at != map.end();) {
        const auto next = std::next(at);
        if (at->second.until <= now) over.push_back(map.extract(at));
        at = next;
    }
    for (auto& node : over)
        then(std::move(node.mapped().what));
}

} // namespace

Pairing::Pairing(boost::asio::io_context& loop, Handlers handlers, Patience patience)
    : handlers_(std::move(handlers)), patience_(patience), timer_(loop) {}

// connect(2) to the unspecified address goes to loopback, and the accepted socket says so.
Pairing::Key Pairing::key(const Endpoint& source, const Endpoint& original) {
    Key key{source, original};
    const bool zero =
        std::all_of(original.ip.bytes.begin(), original.ip.bytes.end(), [](auto byte) { return byte == 0; });
    if (!zero) return key;
    if (original.ip.v6)
        key.original.ip.bytes[15] = 1;
    else
        key.original.ip = IpAddress::v4(0x7F000001);
    return key;
}

void Pairing::expect(ExpectedConnection connection) {
    const Key at = key(connection.source, connection.original);
    if (auto arrived = arrivals_.find(at); arrived != arrivals_.end()) {
        UniqueFd inside = std::move(arrived->second.what.inside);
        arrivals_.erase(arrived);
        return handlers_.paired(std::move(connection), std::move(inside));
    }
    if (stopped_) return handlers_.missed(std::move(connection));
    expected_.emplace(at, Waiting<ExpectedConnection>{std::move(connection), Clock::now() + patience_.expected});
    arm();
}

void Pairing::arrive(Arrival arrival) {
    const Key at = key(arrival.source, arrival.original);
    if (auto known = expected_.find(at); known != expected_.end()) {
        ExpectedConnection connection = std::move(known->second.what);
        expected_.erase(known);
        return handlers_.paired(std::move(connection), std::move(arrival.inside));
    }
    if (stopped_ || arrivals_.size() >= kMaxArrivals) return handlers_.unpaired(std::move(arrival));
    arrivals_.emplace(at, Waiting<Arrival>{std::move(arrival), Clock::now() + patience_.arrival});
    arm();
}

void Pairing::stop() {
    stopped_ = true;
    timer_.cancel();
    arrivals_.clear();
    take_out(expected_, Clock::time_point::max(), handlers_.missed);
}

void Pairing::arm() {
    if (armed_ || stopped_) return;
    if (arrivals_.empty() && expected_.empty()) return;
    armed_ = true;
    timer_.expires_after(std::min(patience_.arrival, patience_.expected) / 8);
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](boost::system::error_code error) {
        if (error || alive.expired()) return;
        armed_ = false;
        sweep();
        arm();
    });
}

void Pairing::sweep() {
    const auto now = Clock::now();
    take_out(arrivals_, now, handlers_.unpaired);
    take_out(expected_, now, handlers_.missed);
}

} // namespace belljar
