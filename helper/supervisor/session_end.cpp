// However a session ends, it takes this way: everything inside dies, what the terminal still holds is passed on, the
// record is sealed, whoever waits is told.
#include "helper/supervisor/session.h"

#include "helper/supervisor/event_fields.h"

#include <boost/asio/post.hpp>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/wait.h>

namespace belljar {
namespace {

constexpr std::chrono::seconds kSampleEvery{5};
constexpr std::chrono::seconds kDeathWithin{5};    // of everything inside, once init is killed
constexpr std::chrono::seconds kTerminalWithin{5}; // for a slow reader of the last output
constexpr std::chrono::seconds kOwnerAsksWithin{5};
constexpr std::chrono::seconds kOthersAskWithin{1};

} // namespace

void Session::fail(const std::string& stage, const Error& error) {
    if (failure_ || stage_ == Stage::Ending || stage_ == Stage::Ended) return;
    failure_ = Failure{stage, error.what + ": " + error.why, error.next};
    end(125, stage + ": " + error.what + ": " + error.why);
}

void Session::command_ended(int wait_status, std::uint32_t peak_kib) {
    peak_kib_ = peak_kib;
    if (stopping_ && WIFSIGNALED(wait_status)) return end(128 + WTERMSIG(wait_status), stop_reason_);
    if (WIFSIGNALED(wait_status)) {
        const char* name = ::sigabbrev_np(WTERMSIG(wait_status));
        return end(128 + WTERMSIG(wait_status),
                   fmt::format("the command was killed by {}",
                               name ? std::string("SIG") + name : std::to_string(WTERMSIG(wait_status))));
    }
    end(WEXITSTATUS(wait_status), stopping_ ? stop_reason_ : "the command exited");
}

// `status` stands for a command that had to be killed.
void Session::stop(std::chrono::milliseconds grace, int status, const std::string& reason,
                   std::initializer_list<int> signals) {
    if (stage_ == Stage::Ending || stage_ == Stage::Ended) return;
    if (!std::exchange(stopping_, true)) {
        stop_reason_ = reason;
        stop_status_ = status;
    }
    for (const int number : signals) {
        if (number == SIGHUP && terminal_) terminal_->signal_foreground(number);
        (void)inside_.send(link::Type::SignalCommand, 0, number); // SIGKILL after the grace does not need init's help
    }
    kill_timer_.expires_after(grace); // the shorter of two: a second, harder stop counts
    kill_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) end(stop_status_, stop_reason_);
    });
}

void Session::owner_gone() {
    owner_there_ = false;
    if (stage_ == Stage::Ended) return linger();
    if (detached_) return;
    stop(kStopGrace, 128 + SIGHUP, "the client that started it is gone", {SIGHUP});
}

void Session::link_closed(const std::string& reason) {
    if (stage_ == Stage::Ending || stage_ == Stage::Ended) return;
    if (stopping_) return end(stop_status_, stop_reason_);
    fail("init", Error{"keep the session", reason, {}, 0});
}

void Session::end(int status, std::string reason) {
    if (stage_ == Stage::Ending || stage_ == Stage::Ended) return;
    stage_ = Stage::Ending;
    status_ = status;
    reason_ = std::move(reason);
    for (auto* timer : {&deadline_, &kill_timer_, &sample_timer_})
        timer->cancel();
    peak_processes_ = std::max(peak_processes_, count_processes());
    // The death of pid 1 of a pid namespace is the death of everything in it (pid_namespaces(7)).
    if (init_) ::kill(*init_, SIGKILL);
    end_timer_.expires_after(kDeathWithin);
    end_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) inside_is_dead(); // in uninterruptible sleep, perhaps; the exit of this process takes it along
    });
    if (!init_)
        boost::asio::post(loop_, [this] { inside_is_dead(); });
    else
        reap();
}

void Session::reap() {
    bool init_gone = false;
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
        init_gone = init_gone || (init_ && pid == *init_);
    if (init_gone) {
        init_.reset();
        if (stage_ == Stage::Ending) boost::asio::post(loop_, [this] { inside_is_dead(); });
    }
}

void Session::inside_is_dead() {
    if (std::exchange(inside_dead_, true)) return;
    if (notifications_) notifications_->close();
    inside_.close();
    if (!terminal_) return seal();
    end_timer_.expires_after(kTerminalWithin);
    end_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) drain_terminal();
    });
    terminal_->drain([this] { drain_terminal(); });
}

void Session::drain_terminal() {
    if (std::exchange(terminal_drained_, true)) return;
    end_timer_.cancel();
    seal();
}

void Session::seal() {
    end_timer_.cancel();
    if (door_) door_->close_all("the session ended");
    if (recorder_) {
        NewEvent ended{.kind = "session-ended", .fields = Json::object()}; // stamped after what is still to be written
        const SessionTotals& totals = recorder_->totals();
        ended.fields["status"] = status_;
        ended.fields["reason"] = reason_;
        ended.fields["totals"] = {{"allowed", totals.allowed},
                                  {"denied", totals.denied},
                                  {"calls_denied", totals.calls_denied},
                                  {"bytes_sent", totals.bytes_sent},
                                  {"bytes_received", totals.bytes_received}};
        ended.fields["peak_memory_kib"] = peak_kib_;
        ended.fields["peak_processes"] = peak_processes_;
        const auto sealed = recorder_->seal(std::move(ended));
        sealed_ = sealed.has_value();
        if (!sealed) record_error_ = sealed.error().message();
    }
    record_.reset(); // a session that never began leaves none
    if (!recorder_ && !failure_) failure_ = Failure{"start", reason_, {}};
    if (!record_error_.empty()) reason_ += "; the record could not be written: " + record_error_;
    inputs_.lock.reset();
    if (sockets_) sockets_->let_go_of_home();
    stage_ = Stage::Ended;
    events_.finish();
    answer_waiting();
    const auto patience = owner_there_ ? kOwnerAsksWithin : kOthersAskWithin;
    end_timer_.expires_after(patience);
    end_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) leave();
    });
    linger();
}

void Session::answer_waiting() {
    for (const auto& responder : std::exchange(describing_, {}))
        describe(responder);
    for (const auto& responder : std::exchange(waiting_, {}))
        wait(responder);
}

// A client that was slower than a short session still gets its answer: as long as the owner is connected, and without
// an owner until somebody was told or a second has gone.
void Session::linger() {
    if (stage_ == Stage::Ended && !owner_there_ && (answered_ || !detached_) && server_.flushed()) leave();
}

void Session::leave() {
    server_.stop_listening();
    server_.close_all();
    loop_.stop();
}

void Session::sample() {
    peak_processes_ = std::max(peak_processes_, count_processes());
    sample_timer_.expires_after(kSampleEvery);
    sample_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) sample();
    });
}

} // namespace belljar
