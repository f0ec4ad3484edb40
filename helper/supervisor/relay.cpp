#include "helper/supervisor/relay.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace belljar {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr unsigned kStepsPerTurn = 32; // then the others' turn
constexpr std::size_t kFirstBytes = 4096;

// close(2) of a socket with linger time 0 sends a reset (socket(7)).
void reset_on_close(int fd) {
    const linger at_once{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

} // namespace

Relay::Relay(asio::io_context& thread, PipePool& pipes, UniqueFd inside, UniqueFd outside, std::vector<std::byte> first,
             std::shared_ptr<RelayCounts> counts, Ended ended)
    : pipes_(pipes), inside_(thread), outside_(thread), first_(std::move(first)), counts_(std::move(counts)),
      ended_(std::move(ended)), inside_fd_(std::move(inside)),
      outside_fd_(std::move(outside)), out_{inside_, outside_, counts_->sent, RelayEnd::ResetInside,
                                            RelayEnd::ResetOutside},
      in_{outside_, inside_, counts_->received, RelayEnd::ResetOutside, RelayEnd::ResetInside} {}

// An error is reported once: what is seen here must be kept for start(), or a reset would look like an orderly end.
void Relay::pass_what_is_there() {
    if (first_.empty()) {
        first_.resize(kFirstBytes);
        const ssize_t got = ::recv(inside_fd_.get(), first_.data(), first_.size(), MSG_DONTWAIT);
        if (got < 0 && errno != EAGAIN && errno != EINTR) reset_early_ = RelayEnd::ResetInside;
        first_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    if (!first_.empty() && send_first(outside_fd_.get()) == Step::WriteFailed) out_.to_gone = out_.ended = true;
    switch (copy_greeting()) {
    case Step::ReadFailed:
        reset_early_ = RelayEnd::ResetOutside;
        break;
    case Step::WriteFailed:
        in_.to_gone = in_.ended = true;
        break;
    default:
        break;
    }
}

// Taken out of the outside's queue only once the inside has it.
Relay::Step Relay::copy_greeting() {
    std::array<std::byte, kFirstBytes> greeting;
    const ssize_t seen = ::recv(outside_fd_.get(), greeting.data(), greeting.size(), MSG_PEEK | MSG_DONTWAIT);
    if (seen == 0) return Step::EndOfFile;
    if (seen < 0) return errno == EAGAIN || errno == EINTR ? Step::WaitRead : Step::ReadFailed;
    const ssize_t sent =
        ::send(inside_fd_.get(), greeting.data(), static_cast<std::size_t>(seen), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN || errno == EINTR ? Step::WaitWrite : Step::WriteFailed;
    counts_->received += static_cast<std::uint64_t>(sent);
    return ::recv(outside_fd_.get(), greeting.data(), static_cast<std::size_t>(sent), MSG_DONTWAIT) == sent
               ? Step::Again
               : Step::ReadFailed; // it was there a moment ago
}

void Relay::start() {
    for (auto [fd, socket] : {std::pair{&inside_fd_, &inside_}, std::pair{&outside_fd_, &outside_}}) {
        const int on =
            1; // small messages must not wait in here for an acknowledgement; a refinement, so a failure is none
        ::setsockopt(fd->get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        error_code error;
        socket->assign(fd->get(), error);
        if (error) return end(RelayEnd::Failed);
        static_cast<void>(fd->release()); // the descriptor object has it now
        socket->non_blocking(true, error);
        if (error) return end(RelayEnd::Failed);
    }
    if (reset_early_) return end(*reset_early_);
    if (out_.ended && in_.ended) return end(out_.to_reset);
    if (!out_.ended) asio::co_spawn(inside_.get_executor(), carry(shared_from_this(), out_, in_), asio::detached);
    if (!in_.ended) asio::co_spawn(inside_.get_executor(), carry(shared_from_this(), in_, out_), asio::detached);
}

void Relay::end(RelayEnd how) {
    if (over_) return;
    over_ = true;
    for (Socket* socket : {&inside_, &outside_}) {
        if (!socket->is_open()) continue;
        if (how != RelayEnd::Closed) reset_on_close(socket->native_handle());
        error_code ignored; // closing a socket that we own: nothing to report
        socket->close(ignored);
    }
    for (UniqueFd* fd : {&inside_fd_, &outside_fd_}) {
        if (*fd) reset_on_close(fd->get());
        fd->reset();
    }
    for (Way* way : {&out_, &in_})
        give_back(*way);
    if (ended_) ended_(how);
}

void Relay::give_back(Way& way) {
    if (!way.pipe) return;
    pipes_.give_back(std::move(*way.pipe));
    way.pipe.reset();
}

asio::awaitable<void> Relay::carry(std::shared_ptr<Relay> self, Way& way, Way& back) {
    error_code error;
    for (unsigned steps = 1; !self->over_; ++steps) {
        const Step step = &way == &self->out_ && self->first_sent_ < self->first_.size()
                              ? self->send_first(self->outside_.native_handle())
                              : self->step(way);
        switch (step) {
        case Step::Again:
            if (steps % kStepsPerTurn == 0) co_await asio::post(asio::use_awaitable);
            continue;
        case Step::WaitRead:
            co_await way.from.async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
            continue;
        case Step::WaitWrite:
            co_await way.to.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, error));
            continue;
        case Step::EndOfFile:
            if (back.to_gone) { // a write to this side had failed, and took the error: it did not end, it was reset
                self->end(way.from_reset);
                co_return;
            }
            ::shutdown(way.to.native_handle(), SHUT_WR);
            self->finish_way(way, back);
            co_return;
        case Step::ReadFailed:
            self->end(way.from_reset);
            co_return;
        case Step::WriteFailed: // what the other side had said before it went is still delivered
            way.to_gone = true;
            if (back.ended) {
                self->end(way.to_reset);
                co_return;
            }
            way.ended = true;
            self->give_back(way);
            co_return;
        }
    }
}

void Relay::finish_way(Way& way, Way& back) {
    way.ended = true;
    if (back.ended) return end(RelayEnd::Closed);
    watch_for_reset(way);
}

// Nobody reads from this side any more, so a reset of it would go unseen until something is written to it.
void Relay::watch_for_reset(Way& way) {
    way.from.async_wait(Socket::wait_error, [self = shared_from_this(), &way](error_code error) {
        if (error || self->over_) return;
        pollfd now{way.from.native_handle(), 0, 0}; // wait_error also means urgent data
        if (::poll(&now, 1, 0) == 1 && (now.revents & (POLLERR | POLLHUP)) != 0) self->end(way.from_reset);
    });
}

Relay::Step Relay::send_first(int to) {
    const ssize_t sent =
        ::send(to, first_.data() + first_sent_, first_.size() - first_sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) return Step::Again;
    if (sent < 0) return errno == EAGAIN ? Step::WaitWrite : Step::WriteFailed;
    first_sent_ += static_cast<std::size_t>(sent);
    counts_->sent += static_cast<std::uint64_t>(sent);
    if (first_sent_ == first_.size()) {
        first_ = {};
        first_sent_ = 0;
    }
    return Step::Again;
}

Relay::Step Relay::step(Way& way) {
    if (way.pipe && way.pipe->held() > 0) {
        const ssize_t moved = way.pipe->drain(way.to.native_handle());
        if (moved < 0) return errno == EAGAIN ? Step::WaitWrite : Step::WriteFailed;
        way.moved += static_cast<std::uint64_t>(moved);
        return Step::Again;
    }
    if (!way.pipe) way.pipe = pipes_.take();
    if (!way.pipe) return copy(way);
    const ssize_t moved = way.pipe->fill(way.from.native_handle());
    if (moved > 0) return Step::Again;
    const int error = errno;
    give_back(way);
    if (moved == 0) return Step::EndOfFile;
    return error == EAGAIN ? Step::WaitRead : Step::ReadFailed;
}

// Without a pipe: what the other side takes is looked at, sent, and only then taken out of the queue, so that nothing
// is held.
Relay::Step Relay::copy(Way& way) {
    auto& scratch = pipes_.scratch();
    const ssize_t seen = ::recv(way.from.native_handle(), scratch.data(), scratch.size(), MSG_PEEK | MSG_DONTWAIT);
    if (seen == 0) return Step::EndOfFile;
    if (seen < 0 && errno == EINTR) return Step::Again;
    if (seen < 0) return errno == EAGAIN ? Step::WaitRead : Step::ReadFailed;
    const ssize_t sent =
        ::send(way.to.native_handle(), scratch.data(), static_cast<std::size_t>(seen), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) return Step::Again;
    if (sent < 0) return errno == EAGAIN ? Step::WaitWrite : Step::WriteFailed;
    way.moved += static_cast<std::uint64_t>(sent);
    for (ssize_t left = sent; left > 0;) {
        const ssize_t taken =
            ::recv(way.from.native_handle(), scratch.data(), static_cast<std::size_t>(left), MSG_DONTWAIT);
        if (taken <= 0) return Step::ReadFailed; // it was there a moment ago
        left -= taken;
    }
    return Step::Again;
}

} // namespace belljar
