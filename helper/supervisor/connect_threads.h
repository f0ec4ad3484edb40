// The one call of the supervisor that may block: connect() on a caller's behalf. All connects lead to listeners in the
// session's own network, where a handshake is over within the call, so each is tried on the loop's own thread first:
// waking another and being woken by it takes many times longer. But the socket is the caller's own, and a hostile
// caller can make a connect hang: a full backlog, a packet filter on its own socket, O_NONBLOCK taken off between our
// look and our call. So no TCP socket is connected but through here, whatever its flags say: a timer interrupts the
// call (timer_create(2), SIGEV_THREAD_ID), it goes on in a thread of a bounded number, and for a while the others start
// there. A connect whose caller was killed is interrupted. Threads are made when needed and end when idle. Made and
// used on the loop thread, which takes SIGUSR1 from then on; `done` is called there, perhaps before start() returns.
#pragma once

#include "helper/supervisor/caller_socket.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <time.h>

namespace belljar {

class ConnectThreads {
public:
    using Done = std::function<void(int errno_value)>;

    explicit ConnectThreads(boost::asio::io_context& loop, unsigned most = 64);
    ~ConnectThreads(); // interrupts what still connects; no `done` is called any more

    // False: all threads are busy, or no more can be made (answer EAGAIN). `abandoned` is asked each second whether the
    // caller is gone.
    bool start(std::shared_ptr<const CallerSocket> caller, std::function<bool()> abandoned, Done done);

private:
    struct Job {
        std::shared_ptr<const CallerSocket> caller;
        std::function<bool()> abandoned;
        Done done;
        std::optional<pthread_t> worker; // while it connects
    };
    using Jobs = std::list<std::shared_ptr<Job>>;

    std::optional<int> connect_at_once(const CallerSocket& caller);
    bool add_thread();
    void work();
    void report(const std::shared_ptr<Job>& job, int result);
    void sweep();

    boost::asio::io_context& loop_;
    const unsigned most_;
    boost::asio::steady_timer timer_;
    bool sweeping_ = false;
    std::optional<timer_t> alarm_; // none: nothing is tried on this thread
    std::chrono::steady_clock::time_point cautious_until_{};

    std::mutex mutex_; // everything below
    std::condition_variable wanted_, finished_;
    std::deque<std::shared_ptr<Job>> queue_;
    Jobs open_; // queued or connecting
    unsigned threads_ = 0, idle_ = 0;
    bool stopping_ = false;
    std::shared_ptr<bool> alive_; // loop thread only
};

} // namespace belljar
