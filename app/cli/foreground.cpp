#include "app/cli/foreground.h"

#include "app/client/session_client.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

constexpr int kGraceMs = 5000;  // between a hang-up and SIGKILL
constexpr int kHeldMs = 100;    // how often to look whether the keyboard is ours again
constexpr int kStartMs = 10000; // the helper owes its answer
constexpr int kGuardMs = 50;    // a command that is over before has cost nothing more
constexpr int kLeaveMs = 2000;  // the session owes its, and the terminal may be slow
constexpr std::string_view kEndOfInput = "\x04";

} // namespace

ForwardedSignals::ForwardedSignals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGWINCH, SIGCHLD}) {
        struct sigaction before {};
        if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN && number != SIGCHLD) continue;
        sigaddset(&wanted, number);
    }
    ::signal(SIGCHLD, SIG_DFL); // inherited as ignored, children would vanish unseen
    ::signal(SIGPIPE, SIG_IGN);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    fd_.reset(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

int ForwardedSignals::next() const {
    signalfd_siginfo signal{};
    return ::read(fd_.get(), &signal, sizeof signal) == sizeof signal ? static_cast<int>(signal.ssi_signo) : 0;
}

Foreground::Foreground(std::optional<Helper> helper, varlink::Client session, PassedStreams streams,
                       const StandardStreams& kinds, UserTerminal* terminal, const ForwardedSignals& signals, Seat seat,
                       std::function<void(const std::string&)> described)
    : helper_(std::move(helper)), session_(std::move(session)), seat_(std::move(seat)), terminal_(terminal),
      signals_(signals), described_(std::move(described)) {
    make_relays(std::move(streams), kinds);
}

void Foreground::make_relays(PassedStreams streams, const StandardStreams& kinds) {
    for (const int fd : {0, 1, 2}) {
        UniqueFd& ours = streams.ours[static_cast<std::size_t>(fd)];
        if (!ours) continue;
        if (fd == 0)
            inputs_.emplace_back(Channel::borrowed(fd), Channel::owned(std::move(ours)));
        else
            outputs_.emplace_back(Channel::owned(std::move(ours)), Channel::borrowed(fd));
    }
    if (terminal_ == nullptr) return;
    UniqueFd screen = terminal_->reopen(O_WRONLY);
    UniqueFd stream(
        ::fcntl(streams.terminal.get(), F_DUPFD_CLOEXEC, 0)); // one direction each; the description is shared
    outputs_.emplace_back(Channel::owned(std::move(streams.terminal)),
                          screen ? Channel::owned(std::move(screen)) : Channel::borrowed(kinds.terminal));
    if (kinds.terminal_input < 0) return;
    keys_ = true;
    UniqueFd keyboard = terminal_->reopen(O_RDONLY);
    inputs_.emplace_back(keyboard ? Channel::owned(std::move(keyboard)) : Channel::borrowed(kinds.terminal_input),
                         Channel::owned(std::move(stream)), [terminal = terminal_] { return terminal->may_read(); });
    if (kinds.raw)
        inputs_.back().pass_through([this](std::string_view typed) {
            const std::string through = seat_.keys.type(typed, DetachKeys::Clock::now());
            return seat_.read_only ? std::string() : through;
        });
    // A line discipline that edits lines turns Ctrl-D into an end of file; the session's own terminal wants the key.
    if (!kinds.raw) inputs_.back().at_end_send(kEndOfInput);
}

Result<Outcome> Foreground::run() {
    if (Status sent = session_.send("org.belljar.Session.Describe"); !sent) return tl::unexpected(sent.error());
    if (Status sent = session_.send("org.belljar.Session.Wait"); !sent) return tl::unexpected(sent.error());
    for (;;) {
        std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0},
                                {helper_ && !outcome_ ? helper_->connection.fd() : -1, POLLIN, 0},
                                {session_gone_ || outcome_ ? -1 : session_.fd(), POLLIN, 0}};
        bool held = false;
        for (auto* relays : {&inputs_, &outputs_})
            for (Relay& relay : *relays) {
                fds.resize(fds.size() + 2);
                // What is typed before the session has begun waits in the terminal; after its end nobody would read it.
                if (relays == &inputs_ && await_ != Await::Wait)
                    fds.end()[-2] = fds.end()[-1] = pollfd{-1, 0, 0};
                else
                    relay.want(fds.end()[-2], fds.end()[-1]);
                held = held || relay.held();
            }
        // At the end everything that could write is dead: what cannot be read now will never come. A slow reader of
        // ours is waited for.
        const int ready = ::poll(fds.data(), fds.size(), patience(held));
        if (ready < 0 && errno != EINTR) return system_failure("poll");
        if (ready <= 0) {
            look_at_clock();
            if (left_ && gone()) return *gone();
            if (outcome_ && ready == 0) return *outcome_;
            if (session_error_ && ready == 0 && !left_) return tl::unexpected(*session_error_);
            if (session_gone_ && ready == 0 && !left_)
                return failure("start the session", "neither the helper nor the session answers");
            continue;
        }
        if (fds[0].revents != 0) take_signals();
        if (fds[1].revents != 0) {
            const auto answer = started(*helper_);
            if (!answer && await_ == Await::Describe) return tl::unexpected(answer.error());
            if (!answer || *answer) helper_.reset();
        }
        if (!outcome_ && (fds[2].revents != 0 || (session_gone_ && !helper_)))
            if (Status taken = take_replies(); !taken) return tl::unexpected(taken.error());
        std::size_t at = 3;
        for (auto* relays : {&inputs_, &outputs_})
            for (Relay& relay : *relays) {
                const bool was_open = !relay.finished();
                relay.step(fds[at], fds[at + 1]);
                at += 2;
                if (relays == &inputs_ && keys_ && was_open && relay.source_ended() && !outcome_ && !left_)
                    hang_up();
            }
        look_at_clock();
        if (left_ && gone()) return *gone();
    }
}

// How long poll(2) may wait, in milliseconds.
int Foreground::patience(bool held) const {
    if (outcome_) return reader_is_slow() ? -1 : 0;
    int most = held ? kHeldMs : session_gone_ ? kStartMs : -1;
    const auto at_most = [&most](DetachKeys::Clock::time_point until) {
        using namespace std::chrono;
        const auto left = duration_cast<milliseconds>(until - DetachKeys::Clock::now()).count() + 1;
        const int ms = static_cast<int>(std::clamp<long>(left, 0, 10000));
        most = most < 0 ? ms : std::min(most, ms);
    };
    if (seat_.keys.deadline()) at_most(*seat_.keys.deadline());
    if (left_) at_most(leave_until_);
    if (guard_at_) at_most(*guard_at_);
    return most;
}

void Foreground::look_at_clock() {
    if (guard_at_ && DetachKeys::Clock::now() >= *guard_at_) {
        guard_at_.reset();
        terminal_->guard();
    }
    const std::string held = seat_.keys.expire(DetachKeys::Clock::now());
    if (!held.empty() && !seat_.read_only && keys_) (void)inputs_.back().push(held);
    if (!seat_.keys.pressed() || left_ || outcome_) return;
    seat_.keys.forget();
    leave(0);
}

// Over a connection of its own: on ours the answer to Wait comes first. What the terminal still gets (its modes are taken
// back) comes by its stream, which then ends.
void Foreground::leave(int signal) {
    auto session = varlink::Client::connect(seat_.socket);
    Status asked = session ? session->set_timeout(std::chrono::milliseconds(kLeaveMs)) : tl::unexpected(session.error());
    if (asked)
        if (const auto answer = session->call("org.belljar.Session.Detach", {{"client", seat_.client}}); !answer)
            asked = tl::unexpected(answer.error());
    if (!asked && signal == 0) {
        const std::string line = fmt::format("\r\nbelljar: cannot detach: {}\r\n", visible(asked.error().why));
        if (terminal_ != nullptr) terminal_->say(line);
        return;
    }
    left_ = true;
    left_by_ = signal;
    leave_until_ = DetachKeys::Clock::now() + std::chrono::milliseconds(kLeaveMs);
    for (Relay& relay : inputs_)
        relay.finish();
}

// Set once the terminal has everything, or has taken too long.
std::optional<Outcome> Foreground::gone() const {
    const bool all = std::all_of(outputs_.begin(), outputs_.end(), [](const Relay& relay) { return relay.finished(); });
    if (!all && DetachKeys::Clock::now() < leave_until_) return std::nullopt;
    Outcome outcome;
    outcome.left = true;
    outcome.left_by = left_by_;
    return outcome;
}

Status Foreground::take_replies() {
    while (!outcome_) {
        if (session_error_ && helper_) return {};
        if (session_error_) return tl::unexpected(*session_error_);
        const auto reply = session_.receive_some();
        if (!reply && left_) {
            session_gone_ = true;
            return {};
        }
        if (!reply && helper_ && !session_gone_) { // the helper knows why
            session_gone_ = true;
            return {};
        }
        if (!reply && terminal_ != nullptr) terminal_->calm();
        if (!reply)
            return failure("the session", "its supervisor is gone; everything in the session was ended",
                           "`belljar ls --all` shows what is left of it");
        if (!*reply) return {};
        if (Status taken = take_reply(**reply); !taken) return taken;
    }
    return {};
}

Status Foreground::take_reply(const varlink::Reply& reply) {
    if (!reply.error.empty()) {
        const Error error = error_of(reply, "start the session");
        if (await_ != Await::Describe || !helper_) return tl::unexpected(error);
        session_error_ = error; // all that it saw may be the end of init: the helper, who made that, knows why
        session_gone_ = true;
        return {};
    }
    switch (await_) {
    case Await::Describe:
        await_ = Await::Wait;
        if (terminal_ != nullptr) {
            terminal_->take();
            guard_at_ = DetachKeys::Clock::now() + std::chrono::milliseconds(kGuardMs);
        }
        described_(reply.parameters.value("public_key", std::string()));
        return {};
    case Await::Wait: {
        await_ = Await::Nothing;
        Outcome outcome;
        outcome.status = reply.parameters.value("status", 125);
        outcome.reason = reply.parameters.value("reason", std::string());
        outcome.executed = reply.parameters.value("executed", false);
        outcome.advice = reply.parameters.value("advice", std::string());
        outcome.sealed = reply.parameters.value("sealed", false);
        outcome.totals = totals_from(reply.parameters.value("totals", nlohmann::json::object()));
        outcome_ = std::move(outcome);
        return {};
    }
    case Await::Nothing:
        return failure("the session", "answered more than was asked for");
    }
    return {};
}

void Foreground::take_signals() {
    while (const int number = signals_.next()) {
        switch (number) {
        case SIGCHLD:
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            break;
        case SIGWINCH:
            resize();
            break;
        case SIGTSTP:
            suspend();
            break;
        case SIGHUP:
            if (keys_ || !seat_.owner)
                hang_up();
            else
                forward(SIGHUP);
            break;
        default:
            // Who attached is no part of the session: what is meant for us ends us alone.
            if (seat_.owner)
                forward(number);
            else if (!left_)
                leave(number);
            break;
        }
    }
}

// What cannot be sent has no receiver any more: the owner's connection then says so by itself.
void Foreground::forward(int number) {
    (void)session_.send_oneway("org.belljar.Session.Signal", {{"number", number}});
}
void Foreground::hang_up() {
    if (!seat_.owner) return left_ ? void() : leave(SIGHUP);
    (void)session_.send_oneway("org.belljar.Session.Stop", {{"grace_ms", kGraceMs}});
}

void Foreground::resize() {
    if (terminal_ == nullptr) return;
    const WindowSize size = terminal_->size();
    (void)session_.send_oneway("org.belljar.Session.Resize", {{"rows", size.rows}, {"columns", size.columns}, {"client", seat_.client}});
}

// Ctrl-Z where no key travels into the session: the command stops with us and goes on with us.
void Foreground::suspend() {
    if (terminal_ != nullptr) terminal_->give_back();
    if (seat_.owner) forward(SIGSTOP);
    ::kill(::getpid(), SIGSTOP);
    if (terminal_ != nullptr) terminal_->take();
    if (seat_.owner) forward(SIGCONT);
    resize();
}

bool Foreground::reader_is_slow() const {
    for (const Relay& relay : outputs_)
        if (!relay.finished() && !relay.waits_for_source()) return true;
    return false;
}

} // namespace belljar::cli
