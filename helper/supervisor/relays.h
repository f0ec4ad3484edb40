// All relays of a session, on one thread of their own: the supervisor's loop never waits for a byte, and a full pipe
// never waits for a denial to be written. The thread is made with the first of them. Called from the loop thread.
#pragma once

#include "helper/supervisor/relay.h"

#include <boost/asio/executor_work_guard.hpp>
#include <thread>
#include <unordered_map>

namespace belljar {

class Relays {
public:
    using Ended = std::function<void(std::uint64_t conn, RelayEnd end)>; // on the relays' thread
    explicit Relays(Ended ended);
    ~Relays(); // stops
    void start(std::uint64_t conn, UniqueFd inside, UniqueFd outside, std::vector<std::byte> first,
               std::shared_ptr<RelayCounts> counts);
    void cut(std::uint64_t conn);
    // Cuts every relay and joins the thread: the counts are final when it returns. Nothing can be started afterwards.
    void stop();

private:
    void run_thread();
    boost::asio::io_context thread_context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    Ended ended_;
    PipePool pipes_;                                                    // relays' thread only
    std::unordered_map<std::uint64_t, std::shared_ptr<Relay>> running_; // relays' thread only
    std::thread thread_;
    bool stopped_ = false;
};

} // namespace belljar
