#include "helper/supervisor/proxy_dial.h"

#include "core/egress/connect_reply.h"
#include "helper/supervisor/dial.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/socket.h>

namespace belljar {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

int errno_for(unsigned status) {
    if (status == 504) return ETIMEDOUT;
    return status == 502 || status == 503 ? EHOSTUNREACH : ECONNREFUSED;
}

class Handshake : public std::enable_shared_from_this<Handshake> {
public:
    Handshake(asio::io_context& loop, const ProxySpec& proxy, const std::string& authority,
              std::function<void(Reached)> done)
        : place_(proxy.place()), socket_(loop), patience_(loop), done_(std::move(done)) {
        request_ = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", authority);
        if (!proxy.authorization.empty()) request_ += "Proxy-Authorization: " + proxy.authorization + "\r\n";
        request_ += "\r\n";
    }

    void connected(int errno_value, UniqueFd socket, const IpAddress& ip, std::chrono::milliseconds patience) {
        ip_ = ip;
        if (errno_value != 0) return fail(errno_value, fmt::format("connect: {}", ::strerrordesc_np(errno_value)));
        socket_.assign(socket.get());
        static_cast<void>(socket.release()); // the descriptor object has it now
        patience_.expires_after(patience);
        patience_.async_wait([self = shared_from_this()](error_code stopped) {
            if (!stopped) self->fail(ETIMEDOUT, "it does not answer");
        });
        asio::async_write(socket_, asio::buffer(request_), [self = shared_from_this()](error_code error, std::size_t) {
            if (error) return self->fail(ECONNRESET, error.message());
            self->wait();
        });
    }

private:
    void wait() {
        socket_.async_wait(asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](error_code error) {
            if (error) return self->fail(ECONNRESET, error.message());
            self->read();
        });
    }

    // Looks first and takes only the head: what follows it is the connection's.
    void read() {
        if (!done_) return;
        std::array<std::byte, 4096> bytes;
        const ssize_t seen = ::recv(socket_.native_handle(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
        if (seen < 0 && (errno == EINTR || errno == EAGAIN)) return wait();
        if (seen <= 0) return fail(ECONNRESET, "it closed the connection without an answer");
        const std::size_t before = head_.size();
        head_.insert(head_.end(), bytes.begin(), bytes.begin() + seen);
        ConnectReply reply;
        const ConnectReplyState state = read_connect_reply(head_, reply);
        if (state == ConnectReplyState::Refused) return fail(ECONNREFUSED, "what it answers is not HTTP");
        const std::size_t take =
            state == ConnectReplyState::Complete ? reply.length - before : static_cast<std::size_t>(seen);
        if (::recv(socket_.native_handle(), bytes.data(), take, MSG_DONTWAIT) != static_cast<ssize_t>(take))
            return fail(ECONNRESET, "its answer cannot be read");
        if (state == ConnectReplyState::More) return wait();
        if (!reply.established()) {
            const char* more = reply.status == 407 || reply.status == 401 ? " (HTTPS_PROXY carries no USER:PASSWORD that it takes)" : "";
            return fail(errno_for(reply.status), fmt::format("it answered {} {}{}", reply.status,
                                                             visible(reply.reason.substr(0, 100)), more));
        }
        finish(Reached{0, UniqueFd(socket_.release()), ip_, {}});
    }

    void fail(int errno_value, const std::string& why) {
        finish(Reached{errno_value, UniqueFd(), ip_, fmt::format("the proxy {}: {}", place_, why)});
    }

    void finish(Reached reached) {
        if (!done_) return;
        const auto done = std::exchange(done_, nullptr);
        patience_.cancel();
        if (socket_.is_open()) {
            error_code ignored; // closing a socket that we own: nothing to report
            socket_.close(ignored);
        }
        done(std::move(reached));
    }

    std::string place_, request_;
    asio::posix::stream_descriptor socket_;
    asio::steady_timer patience_;
    std::function<void(Reached)> done_; // empty once called
    std::vector<std::byte> head_;
    IpAddress ip_;
};

} // namespace

void dial_by_proxy(asio::io_context& loop, const std::vector<IpAddress>& addresses, const ProxySpec& proxy,
                   const std::string& authority, std::function<void(Reached)> done, std::chrono::milliseconds patience) {
    const auto handshake = std::make_shared<Handshake>(loop, proxy, authority, std::move(done));
    dial_any(loop, addresses, proxy.port,
             [handshake, patience](int errno_value, UniqueFd socket, const IpAddress& ip) {
                 handshake->connected(errno_value, std::move(socket), ip, patience);
             });
}

} // namespace belljar
