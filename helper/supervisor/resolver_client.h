// The supervisor's end of the resolver's protocol (helper/resolver/protocol.h). One request for a name at a time
// however many ask, answers kept for ten seconds, failures not kept. What comes back is not trusted beyond its shape.
// Loop thread only.
#pragma once

#include "core/egress/ip_address.h"
#include "core/system/unique_fd.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace belljar {

struct LookUp {
    std::vector<IpAddress> addresses; // as getaddrinfo ordered them; empty when it failed
    int errno_value = 0;
    std::string reason;
};

class ResolverClient : public std::enable_shared_from_this<ResolverClient> {
public:
    using Done = std::function<void(const LookUp&)>;
    ResolverClient(boost::asio::io_context& loop, UniqueFd socket);
    void start(); // begins to listen for replies
    void stop();  // nothing is called afterwards
    // `done` may be called before this returns.
    void look_up(const std::string& normalised_name, Done done);

private:
    using Clock = std::chrono::steady_clock;
    struct Pending {
        std::uint64_t request = 0; // 0: not sent yet
        std::vector<Done> waiting;
        Clock::time_point deadline;
    };
    struct Kept {
        std::vector<IpAddress> addresses;
        Clock::time_point until;
    };

    void wait_for_reply();
    void read_replies();
    void take_reply(std::string_view message);
    void send_queued();
    void finish(const std::string& name, const LookUp& result);
    void fail_all(const std::string& reason);
    void keep(const std::string& name, const std::vector<IpAddress>& addresses);
    void arm_timer();

    boost::asio::posix::stream_descriptor socket_;
    boost::asio::steady_timer timer_;
    bool gone_ = false, timer_armed_ = false;
    std::uint64_t last_request_ = 0;
    std::map<std::string, Pending> pending_;
    std::map<std::uint64_t, std::string> sent_; // request → name
    std::deque<std::string> queue_;             // names not sent yet
    std::map<std::string, Kept> kept_;
};

} // namespace belljar
