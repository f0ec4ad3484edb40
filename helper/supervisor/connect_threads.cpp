#include "helper/supervisor/connect_threads.h"

#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <system_error>

namespace belljar {
namespace {

constexpr int kInterrupt = SIGUSR1;
constexpr std::chrono::seconds kIdle{10};
constexpr std::chrono::seconds kSweep{1};
constexpr std::chrono::seconds kCaution{1}; // after a connect that hung
constexpr long kPatienceNs = 5'000'000;     // of the loop's thread with one connect

void interrupt_only(int) {}

// A handler without SA_RESTART, so that the signal makes connect() return EINTR.
void install_interrupt() {
    struct sigaction action {};
    action.sa_handler = interrupt_only;
    ::sigaction(kInterrupt, &action, nullptr);
}

void take_only_interrupts() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigdelset(&all, kInterrupt);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

// Interrupts this thread.
std::optional<timer_t> make_alarm() {
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, kInterrupt);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kInterrupt;
    event._sigev_un._tid = ::gettid();
    timer_t alarm{};
    if (::timer_create(CLOCK_MONOTONIC, &event, &alarm) != 0) return std::nullopt;
    return alarm;
}

// Rings again and again: the first may come before the call that it is to interrupt.
void ring_every(timer_t alarm, long ns) {
    const itimerspec when{{0, ns}, {0, ns}};
    ::timer_settime(alarm, 0, &when, nullptr);
}

} // namespace

ConnectThreads::ConnectThreads(boost::asio::io_context& loop, unsigned most)
    : loop_(loop), most_(most), timer_(loop), alive_(std::make_shared<bool>(true)) {
    install_interrupt();
    alarm_ = make_alarm();
}

ConnectThreads::~ConnectThreads() {
    *alive_ = false;
    if (alarm_) ::timer_delete(*alarm_);
    std::unique_lock lock(mutex_);
    stopping_ = true;
    queue_.clear();
    wanted_.notify_all();
    while (threads_ > 0) {
        for (const auto& job : open_)
            if (job->worker) ::pthread_kill(*job->worker, kInterrupt);
        finished_.wait_for(lock, std::chrono::milliseconds(10));
    }
}

// nullopt: it did not end at once; connect(2) again, which waits for what is under way.
std::optional<int> ConnectThreads::connect_at_once(const CallerSocket& caller) {
    const auto now = std::chrono::steady_clock::now();
    if (!alarm_ || now < cautious_until_) return std::nullopt;
    ring_every(*alarm_, kPatienceNs);
    const int result = connect_on_behalf(caller);
    ring_every(*alarm_, 0);
    if (result != EINTR) return result;
    cautious_until_ = std::chrono::steady_clock::now() + kCaution;
    return std::nullopt;
}

bool ConnectThreads::start(std::shared_ptr<const CallerSocket> caller, std::function<bool()> abandoned, Done done) {
    if (const auto result = connect_at_once(*caller)) {
        done(*result);
        return true;
    }
    {
        const std::lock_guard lock(mutex_);
        if (open_.size() >= most_) return false;
        if (idle_ <= queue_.size() && !add_thread()) return false;
        const auto job = std::make_shared<Job>(Job{std::move(caller), std::move(abandoned), std::move(done), {}});
        open_.push_back(job);
        queue_.push_back(job);
        wanted_.notify_one();
    }
    sweep();
    return true;
}

// With the mutex held. False: the user has as many threads as the system allows.
bool ConnectThreads::add_thread() {
    try {
        std::thread([this] { work(); }).detach(); // counted: the destructor waits for it
    } catch (const std::system_error&) {
        return false;
    }
    ++threads_;
    return true;
}

void ConnectThreads::work() {
    take_only_interrupts();
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        const bool more = wanted_.wait_for(lock, kIdle, [&] { return stopping_ || !queue_.empty(); });
        --idle_;
        if (stopping_ || !more) break;
        const auto job = queue_.front();
        queue_.pop_front();
        job->worker = ::pthread_self();
        lock.unlock();
        const int result = connect_on_behalf(*job->caller);
        lock.lock();
        job->worker.reset();
        open_.remove(job);
        if (!stopping_) report(job, result);
    }
    --threads_;
    finished_.notify_all();
}

// With the mutex held; the handler runs on the loop.
void ConnectThreads::report(const std::shared_ptr<Job>& job, int result) {
    boost::asio::post(loop_, [job, result, alive = alive_] {
        if (*alive) job->done(result);
    });
}

void ConnectThreads::sweep() {
    if (std::exchange(sweeping_, true)) return;
    timer_.expires_after(kSweep);
    timer_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
        if (error || !*alive) return;
        sweeping_ = false;
        const std::lock_guard lock(mutex_);
        for (const auto& job : open_)
            if (job->worker && job->abandoned()) ::pthread_kill(*job->worker, kInterrupt);
        if (!open_.empty())
            boost::asio::post(loop_, [this, alive] {
                if (*alive) sweep();
            });
    });
}

} // namespace belljar
