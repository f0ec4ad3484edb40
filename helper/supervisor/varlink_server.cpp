#include "helper/supervisor/varlink_server.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr std::size_t kMostConnections = 64;
constexpr std::size_t kEnoughQueued = 256u << 10; // a peer with so much to take is not read from
constexpr std::size_t kMostQueued = 32u << 20;    // and with so much it is dropped

void make_non_blocking(int fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool is_ours(int socket) {
    ucred peer{};
    socklen_t length = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

} // namespace

ServerConnection::ServerConnection(VarlinkServer& server, UniqueFd socket, std::string peer)
    : server_(&server), socket_(server.loop_), peer_(std::move(peer)), input_(16384) {
    make_non_blocking(socket.get());
    socket_.assign(socket.release());
}

void ServerConnection::start() {
    view_ = server_->service_.connect([weak = weak_from_this()](std::string bytes) {
        if (const auto self = weak.lock()) self->send(std::move(bytes));
    });
    read();
}

void ServerConnection::read() {
    if (reading_ || taker_ || !socket_.is_open() || queued() >= kEnoughQueued) return;
    reading_ = true;
    socket_.async_read_some(boost::asio::buffer(input_),
                            [self = shared_from_this()](const boost::system::error_code& error, std::size_t size) {
                                self->reading_ = false;
                                if (!self->socket_.is_open()) return;
                                if (error || !self->take(size))
                                    self->close();
                                else
                                    self->read();
                            });
}

// False: the peer broke the protocol.
bool ServerConnection::take(std::size_t size) {
    if (!frames_.feed({input_.data(), size})) return false;
    while (auto message = frames_.next()) {
        server_->current_ = shared_from_this();
        const Status handled = view_->handle(*message);
        if (!server_) return false; // closed by what the call did
        server_->current_.reset();
        if (!handled) return false;
        if (taker_) { // what follows is no message
            if (queued() == 0) hand_over();
            return true;
        }
    }
    return true;
}

bool ServerConnection::upgrade(Taker taker) {
    if (view_->unanswered() != 1) return false;
    taker_ = std::move(taker);
    return true;
}

void ServerConnection::hand_over() {
    const auto self = shared_from_this();
    UniqueFd socket(socket_.release());
    Taker taker = std::exchange(taker_, nullptr);
    std::string read = frames_.rest();
    close();
    taker(std::move(socket), std::move(read));
}

void ServerConnection::send(std::string bytes) {
    if (!socket_.is_open()) return;
    output_ += bytes;
    if (queued() > kMostQueued) return close();
    write();
}

void ServerConnection::write() {
    if (output_.empty() || std::exchange(writing_, true)) return;
    leaving_ = std::exchange(output_, {});
    boost::asio::async_write(socket_, boost::asio::buffer(leaving_),
                             [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
                                 self->writing_ = false;
                                 self->leaving_.clear();
                                 if (error) return self->close();
                                 if (!self->socket_.is_open()) return;
                                 if (self->taker_ && self->queued() == 0) return self->hand_over();
                                 self->write();
                                 self->read();
                                 if (self->server_ && self->server_->on_drained) self->server_->on_drained();
                             });
}

void ServerConnection::close() {
    if (!server_) return;
    const auto self = shared_from_this();
    VarlinkServer& server = *std::exchange(server_, nullptr);
    if (server.current_ == self) server.current_.reset();
    boost::system::error_code ignored;
    socket_.close(ignored);
    output_.clear();
    server.connections_.erase(self);
    if (on_closed) std::exchange(on_closed, nullptr)();
}

VarlinkServer::VarlinkServer(boost::asio::io_context& loop, const varlink::Service& service)
    : loop_(loop), service_(service), listener_(loop), alive_(std::make_shared<bool>(true)) {}

VarlinkServer::~VarlinkServer() {
    *alive_ = false;
    for (const auto& connection : connections_)
        connection->on_closed = nullptr;
    close_all();
}

void VarlinkServer::listen(UniqueFd listener) {
    make_non_blocking(listener.get());
    listener_.assign(listener.release());
    accept();
}

void VarlinkServer::accept() {
    listener_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [this, alive = alive_](const boost::system::error_code& error) {
                             if (error || !*alive) return;
                             UniqueFd socket(::accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
                             if (socket && is_ours(socket.get()) && connections_.size() < kMostConnections)
                                 adopt(std::move(socket), "a client of uid " + std::to_string(::geteuid()), nullptr);
                             accept();
                         });
}

void VarlinkServer::adopt(UniqueFd socket, std::string peer, std::function<void()> on_closed) {
    const auto connection = std::make_shared<ServerConnection>(*this, std::move(socket), std::move(peer));
    connection->on_closed = std::move(on_closed);
    connections_.insert(connection);
    connection->start();
}

void VarlinkServer::stop_listening() {
    boost::system::error_code ignored;
    listener_.close(ignored);
}

void VarlinkServer::close_all() {
    while (!connections_.empty())
        (*connections_.begin())->close();
}

bool VarlinkServer::flushed() const {
    for (const auto& connection : connections_)
        if (connection->queued() > 0) return false;
    return true;
}

} // namespace belljar
