#include "app/cli/foreground.h"

#include "app/cli/session_client.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

constexpr int kGraceMs = 5000;  // between a hang-up and SIGKILL
constexpr int kHeldMs = 100;    // how often to look whether the keyboard is ours again
constexpr int kStartMs = 10000; // the helper owes its answer
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

Foreground::Foreground(Helper helper, varlink::Client owner, PassedStreams streams, const StandardStreams& kinds,
                       UserTerminal* terminal, const ForwardedSignals& signals,
                       std::function<void(const std::string&)> described)
    : helper_(std::move(helper)), owner_(std::move(owner)), terminal_(terminal), signals_(signals),
      described_(std::move(described)) {
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
    // A line discipline that edits lines turns Ctrl-D into an end of file; the session's own terminal wants the key.
    if (!kinds.raw) inputs_.back().at_end_send(kEndOfInput);
}

Result<Outcome> Foreground::run() {
    if (Status sent = owner_.send("org.belljar.Session.Describe"); !sent) return tl::unexpected(sent.error());
    if (Status sent = owner_.send("org.belljar.Session.Wait"); !sent) return tl::unexpected(sent.error());
    for (;;) {
        std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0},
                                {helper_ && !outcome_ ? helper_->connection.fd() : -1, POLLIN, 0},
                                {owner_gone_ || outcome_ ? -1 : owner_.fd(), POLLIN, 0}};
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
        const int timeout = outcome_ ? (reader_is_slow() ? -1 : 0) : held ? kHeldMs : owner_gone_ ? kStartMs : -1;
        const int ready = ::poll(fds.data(), fds.size(), timeout);
        if (ready < 0 && errno != EINTR) return system_failure("poll");
        if (ready <= 0) {
            if (outcome_ && ready == 0) return *outcome_;
            if (owner_gone_ && ready == 0)
                return failure("start the session", "neither the helper nor the session answers");
            continue;
        }
        if (fds[0].revents != 0) take_signals();
        if (fds[1].revents != 0) {
            const auto answer = started(*helper_);
            if (!answer && await_ == Await::Describe) return tl::unexpected(answer.error());
            if (!answer || *answer) helper_.reset();
        }
        if (!outcome_ && (fds[2].revents != 0 || (owner_gone_ && !helper_)))
            if (Status taken = take_replies(); !taken) return tl::unexpected(taken.error());
        std::size_t at = 3;
        for (auto* relays : {&inputs_, &outputs_})
            for (Relay& relay : *relays) {
                const bool was_open = !relay.finished();
                relay.step(fds[at], fds[at + 1]);
                at += 2;
                if (relays == &inputs_ && keys_ && was_open && relay.finished() && !outcome_) hang_up();
            }
    }
}

Status Foreground::take_replies() {
    while (!outcome_) {
        const auto reply = owner_.receive_some();
        if (!reply && helper_ && !owner_gone_) { // the helper knows why
            owner_gone_ = true;
            return {};
        }
        if (!reply)
            return failure("the session", "its supervisor is gone; everything in the session was ended",
                           "`belljar ls --all` shows what is left of it");
        if (!*reply) return {};
        if (Status taken = take_reply(**reply); !taken) return taken;
    }
    return {};
}

Status Foreground::take_reply(const varlink::Reply& reply) {
    if (!reply.error.empty()) return tl::unexpected(error_of(reply, "start the session"));
    switch (await_) {
    case Await::Describe:
        await_ = Await::Wait;
        if (terminal_ != nullptr) terminal_->take();
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
            if (keys_)
                hang_up();
            else
                forward(SIGHUP);
            break;
        default:
            forward(number);
            break;
        }
    }
}

// What cannot be sent has no receiver any more: the owner's connection then says so by itself.
void Foreground::forward(int number) {
    (void)owner_.send_oneway("org.belljar.Session.Signal", {{"number", number}});
}
void Foreground::hang_up() {
    (void)owner_.send_oneway("org.belljar.Session.Stop", {{"grace_ms", kGraceMs}});
}

void Foreground::resize() {
    if (terminal_ == nullptr) return;
    const WindowSize size = terminal_->size();
    (void)owner_.send_oneway("org.belljar.Session.Resize", {{"rows", size.rows}, {"columns", size.columns}});
}

// Ctrl-Z where no key travels into the session: the command stops with us and goes on with us.
void Foreground::suspend() {
    if (terminal_ != nullptr) terminal_->give_back();
    forward(SIGSTOP);
    ::kill(::getpid(), SIGSTOP);
    if (terminal_ != nullptr) terminal_->take();
    forward(SIGCONT);
    resize();
}

bool Foreground::reader_is_slow() const {
    for (const Relay& relay : outputs_)
        if (!relay.finished() && !relay.waits_for_source()) return true;
    return false;
}

} // namespace belljar::cli
