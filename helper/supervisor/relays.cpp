#include "helper/supervisor/relays.h"

#include <boost/asio/post.hpp>
#include <csignal>

namespace belljar {

namespace asio = boost::asio;

Relays::Relays(Ended ended) : work_(asio::make_work_guard(thread_context_)), ended_(std::move(ended)) {}

void Relays::run_thread() {
    // No signal is for this thread. SIGPIPE above all: splice(2) knows no MSG_NOSIGNAL.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { thread_context_.run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Relays::~Relays() {
    stop();
}

void Relays::start(std::uint64_t conn, UniqueFd inside, UniqueFd outside, std::vector<std::byte> first,
                   std::shared_ptr<RelayCounts> counts) {
    const auto relay = std::make_shared<Relay>(thread_context_, pipes_, std::move(inside), std::move(outside),
                                               std::move(first), std::move(counts), [this, conn](RelayEnd end) {
                                                   running_.erase(conn);
                                                   ended_(conn, end);
                                               });
    relay->pass_what_is_there();
    if (!thread_.joinable() && !stopped_) run_thread();
    asio::post(thread_context_, [this, conn, relay] {
        running_.emplace(conn, relay);
        relay->start();
    });
}

void Relays::cut(std::uint64_t conn) {
    asio::post(thread_context_, [this, conn] {
        const auto found = running_.find(conn);
        if (found == running_.end()) return;
        const auto relay = found->second; // ending erases the entry
        relay->end(RelayEnd::Cut);
    });
}

void Relays::stop() {
    stopped_ = true;
    if (!thread_.joinable()) return;
    asio::post(thread_context_, [this] {
        while (!running_.empty()) {
            const auto relay = running_.begin()->second;
            relay->end(RelayEnd::Cut);
        }
    });
    work_.reset();
    thread_.join();
}

} // namespace belljar
