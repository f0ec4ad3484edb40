#include "app/cli/relay.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

constexpr std::size_t kSpliceBytes = 1u << 20;
constexpr std::size_t kCopyBytes = 256u << 10;
constexpr std::size_t kTurnBytes = 4u << 20; // then the other streams have their turn
constexpr std::size_t kCarefulBytes = 512;   // into a terminal or device that we may not make non-blocking

Channel::Kind kind_of(int fd) {
    struct stat st {};
    if (::fstat(fd, &st) != 0) return Channel::Kind::Other;
    if (S_ISFIFO(st.st_mode)) return Channel::Kind::Pipe;
    if (S_ISSOCK(st.st_mode)) return Channel::Kind::Socket;
    if (S_ISREG(st.st_mode)) return Channel::Kind::File;
    return Channel::Kind::Other;
}

} // namespace

Channel Channel::owned(UniqueFd fd) {
    Channel channel;
    const int flags = ::fcntl(fd.get(), F_GETFL);
    if (flags >= 0) ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK);
    channel.kind_ = kind_of(fd.get());
    channel.own_ = std::move(fd);
    return channel;
}

Channel Channel::borrowed(int fd) {
    Channel channel;
    channel.borrowed_ = fd;
    channel.kind_ = kind_of(fd);
    return channel;
}

void Channel::close() {
    own_.reset();
    borrowed_ = -1;
}

Relay::Relay(Channel source, Channel target, std::function<bool()> may_read)
    : source_(std::move(source)), target_(std::move(target)), may_read_(std::move(may_read)) {
    // From a file its pages themselves would travel into the session's pipe: copied instead, so that what the session
    // reads is what the file held, and no page of a host's file is ever in the sandbox's reach.
    const auto splices = [](const Channel& channel) { return channel.kind() == Channel::Kind::Pipe; };
    splices_ = splices(source_) && (splices(target_) || target_.kind() == Channel::Kind::File);
}

void Relay::finish() {
    state_ = State::Finished;
    source_.close();
    target_.close();
}

void Relay::want(pollfd& source, pollfd& target) {
    source = target = pollfd{-1, 0, 0};
    held_ = false;
    switch (state_) {
    case State::Source:
        held_ = may_read_ && !may_read_();
        if (!held_) source = pollfd{source_.get(), POLLIN, 0};
        // A reader that went away is noticed even while nothing flows.
        if (target_.kind() == Channel::Kind::Pipe || target_.kind() == Channel::Kind::Socket)
            target = pollfd{target_.get(), 0, 0};
        return;
    case State::Target:
        target = pollfd{target_.get(), POLLOUT, 0};
        return;
    case State::Finished:
        return;
    }
}

void Relay::step(const pollfd& source, const pollfd& target) {
    if (state_ == State::Finished) return;
    if (target.revents & (POLLERR | POLLHUP | POLLNVAL)) return finish();
    if (source.revents & POLLNVAL) return finish();
    if (source.revents & (POLLIN | POLLHUP | POLLERR) || target.revents & POLLOUT) move();
}

void Relay::move() {
    const std::uint64_t until = moved_ + kTurnBytes;
    state_ = State::Source;
    while (state_ == State::Source && moved_ < until)
        if (splices_ ? !splice_once() : !copy_once()) return;
}

bool Relay::push(std::string_view bytes) {
    if (state_ != State::Source || begin_ != end_) return false;
    if (buffer_.size() < bytes.size()) buffer_.resize(kCopyBytes);
    std::copy(bytes.begin(), bytes.end(), buffer_.begin());
    begin_ = 0;
    end_ = bytes.size();
    state_ = State::Target;
    return true;
}

// False: nothing more to do now. Sets state_ to what to wait for.
bool Relay::splice_once() {
    const ssize_t n =
        ::splice(source_.get(), nullptr, target_.get(), nullptr, kSpliceBytes, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (n > 0) {
        moved_ += static_cast<std::uint64_t>(n);
        return true;
    }
    if (n == 0) {
        finish();
        return false;
    }
    if (errno == EINTR) return true;
    if (errno == EAGAIN) {
        // One of the two is not ready; which, poll(2) on the source alone tells.
        pollfd ready{source_.get(), POLLIN, 0};
        state_ = ::poll(&ready, 1, 0) == 1 && ready.revents & POLLIN ? State::Target : State::Source;
        return false;
    }
    if (errno == EINVAL) { // a target opened for appending, a file system without splice
        splices_ = false;
        return true;
    }
    finish();
    return false;
}

bool Relay::copy_once() {
    if (begin_ == end_) {
        if (buffer_.empty()) buffer_.resize(kCopyBytes);
        long n = read_some();
        if (n < 0 && errno == EINTR) return true;
        if (n < 0 && errno == EAGAIN) return false;
        if (n == 0 && !at_end_.empty()) {
            std::copy(at_end_.begin(), at_end_.end(), buffer_.begin());
            n = static_cast<long>(at_end_.size());
        }
        if (n <= 0) {
            source_ended_ = true;
            finish();
            return false;
        }
        begin_ = 0;
        end_ = static_cast<std::size_t>(n);
        if (through_) {
            const std::string passed = through_({buffer_.data(), end_});
            if (passed.size() > buffer_.size()) buffer_.resize(passed.size());
            std::copy(passed.begin(), passed.end(), buffer_.begin());
            end_ = passed.size();
            if (end_ == 0) return false;
        }
    }
    const long n = write_some();
    if (n < 0 && errno == EINTR) return true;
    if (n < 0 && errno != EAGAIN) {
        finish();
        return false;
    }
    if (n > 0) {
        begin_ += static_cast<std::size_t>(n);
        moved_ += static_cast<std::uint64_t>(n);
    }
    if (begin_ < end_) {
        state_ = State::Target;
        return false;
    }
    // What is not ours was promised by poll(2) for one read only: ask again.
    return source_.is_ours() || source_.kind() == Channel::Kind::File;
}

long Relay::read_some() {
    if (source_.kind() == Channel::Kind::Socket)
        return ::recv(source_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    return ::read(source_.get(), buffer_.data(), buffer_.size());
}

long Relay::write_some() {
    const char* from = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    if (target_.kind() == Channel::Kind::Socket) return ::send(target_.get(), from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (target_.is_ours() || target_.kind() == Channel::Kind::File) return ::write(target_.get(), from, size);
    // poll(2) calls a pipe writable when one page of it is free, a terminal when some room is there.
    pollfd ready{target_.get(), POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1) {
        errno = EAGAIN;
        return -1;
    }
    return ::write(target_.get(), from,
                   std::min(size, target_.kind() == Channel::Kind::Pipe ? std::size_t(PIPE_BUF) : kCarefulBytes));
}

} // namespace belljar::cli
