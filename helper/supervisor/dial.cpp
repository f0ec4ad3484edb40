#include "helper/supervisor/dial.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <list>
#include <memory>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace belljar {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kMaxTries = 16;

class Attempt : public std::enable_shared_from_this<Attempt> {
public:
    Attempt(asio::io_context& loop, std::vector<IpAddress> addresses, std::uint16_t port, Dialed done)
        : loop_(loop), addresses_(std::move(addresses)), port_(port), done_(std::move(done)), next_timer_(loop),
          patience_timer_(loop) {}

    void start(std::chrono::milliseconds patience) {
        patience_timer_.expires_after(patience);
        patience_timer_.async_wait([self = shared_from_this()](error_code error) {
            if (!error) self->finish(ETIMEDOUT, {}, {});
        });
        try_next();
    }

private:
    struct Try {
        IpAddress ip;
        asio::posix::stream_descriptor socket;
    };
    using TryAt = std::list<Try>::iterator;

    // Starts one more connection, passing over addresses that fail on the spot.
    void try_next() {
        while (next_ < addresses_.size() && done_) {
            const IpAddress ip = addresses_[next_++];
            if (!begin(ip)) continue;
            if (!done_ || next_ == addresses_.size()) return;
            next_timer_.expires_after(kDialDelay);
            next_timer_.async_wait([self = shared_from_this()](error_code error) {
                if (!error && self->done_) self->try_next();
            });
            return;
        }
        if (tries_.empty()) finish(last_errno_, {}, {});
    }

    bool begin(const IpAddress& ip) {
        UniqueFd socket(::socket(ip.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (!socket) return failed_at_once();
        const int on = 1; // both are refinements: without them the connection still works
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        sockaddr_storage address{};
        const socklen_t length = Endpoint{ip, port_}.to(address);
        if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 && errno != EINPROGRESS)
            return failed_at_once();
        if (stands(socket.get())) {
            finish(0, std::move(socket), ip);
            return true;
        }
        tries_.push_back(Try{ip, asio::posix::stream_descriptor(loop_, socket.get())});
        static_cast<void>(socket.release()); // the descriptor object has it now
        const TryAt at = std::prev(tries_.end());
        at->socket.async_wait(asio::posix::stream_descriptor::wait_write,
                              [self = shared_from_this(), at](error_code error) { self->settled(at, error); });
        return true;
    }

    // To a place on this machine: the handshake is over by now, though a non-blocking connect does not say so.
    static bool stands(int socket) {
        pollfd now{socket, POLLOUT, 0};
        return ::poll(&now, 1, 0) == 1 && now.revents == POLLOUT;
    }

    bool failed_at_once() {
        last_errno_ = errno;
        return false;
    }

    void settled(TryAt at, error_code error) {
        if (!done_ || error) return; // finished meanwhile
        int result = 0;
        socklen_t length = sizeof result;
        if (::getsockopt(at->socket.native_handle(), SOL_SOCKET, SO_ERROR, &result, &length) != 0) result = errno;
        const IpAddress ip = at->ip;
        UniqueFd socket(at->socket.release());
        tries_.erase(at);
        if (result == 0) return finish(0, std::move(socket), ip);
        last_errno_ = result;
        next_timer_.cancel();
        try_next();
    }

    void finish(int errno_value, UniqueFd socket, IpAddress reached) {
        if (!done_) return;
        const Dialed done = std::exchange(done_, nullptr);
        next_timer_.cancel();
        patience_timer_.cancel();
        for (Try& each : tries_) {
            error_code ignored; // closing a socket that we own: nothing to report
            each.socket.close(ignored);
        }
        asio::post(loop_, [done, errno_value, reached, shared = std::make_shared<UniqueFd>(std::move(socket))] {
            done(errno_value, std::move(*shared), reached);
        });
    }

    asio::io_context& loop_;
    std::vector<IpAddress> addresses_;
    std::uint16_t port_;
    Dialed done_; // empty once called
    asio::steady_timer next_timer_, patience_timer_;
    std::list<Try> tries_;
    std::size_t next_ = 0;
    int last_errno_ = EHOSTUNREACH;
};

} // namespace

std::vector<IpAddress> interleaved(const std::vector<IpAddress>& addresses) {
    std::vector<IpAddress> same, other, out;
    for (const IpAddress& ip : addresses)
        (ip.v6 == addresses.front().v6 ? same : other).push_back(ip);
    for (std::size_t i = 0; i < std::max(same.size(), other.size()); ++i) {
        if (i < same.size()) out.push_back(same[i]);
        if (i < other.size()) out.push_back(other[i]);
    }
    if (out.size() > kMaxTries) out.resize(kMaxTries);
    return out;
}

void dial_any(asio::io_context& loop, const std::vector<IpAddress>& addresses, std::uint16_t port, Dialed done,
              std::chrono::milliseconds patience) {
    std::make_shared<Attempt>(loop, interleaved(addresses), port, std::move(done))->start(patience);
}

} // namespace belljar
