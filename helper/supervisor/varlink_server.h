// Varlink connections in the event loop: the accepting of session.sock, the owner's connection, framing, and bounded
// output. A peer whose uid is not ours is turned away (SO_PEERCRED, unix(7)); one that does not read is not read from
// either. Loop thread only.
#pragma once

#include "core/system/unique_fd.h"
#include "core/varlink/service.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace belljar {

class VarlinkServer;

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
public:
    ServerConnection(VarlinkServer& server, UniqueFd socket, std::string peer);
    void start();
    void close();
    std::size_t queued() const { return output_.size() + leaving_.size(); } // bytes not yet taken by the peer
    const std::string& peer() const { return peer_; }                       // who it is, for the record

    // For the handler of a method that upgrades: once its reply has left, `taker` gets the socket, and what was already
    // read behind the call. False: other calls are unanswered, so it cannot be done.
    using Taker = std::function<void(UniqueFd socket, std::string read)>;
    bool upgrade(Taker taker);

    std::function<void()> on_closed;

private:
    void read();
    void hand_over();
    bool take(std::size_t size);
    void send(std::string bytes);
    void write();

    VarlinkServer* server_;
    boost::asio::posix::stream_descriptor socket_;
    std::string peer_;
    std::unique_ptr<varlink::Service::Connection> view_;
    varlink::FrameSplitter frames_;
    std::vector<char> input_;
    std::string output_, leaving_; // what waits, and what is being written
    bool reading_ = false, writing_ = false;
    Taker taker_; // the connection is an upgraded one
};

class VarlinkServer {
public:
    VarlinkServer(boost::asio::io_context& loop, const varlink::Service& service);
    ~VarlinkServer();

    void listen(UniqueFd listener);
    // A connection that came from elsewhere. `on_closed` is called once when the peer is gone.
    void adopt(UniqueFd socket, std::string peer, std::function<void()> on_closed);
    void stop_listening();
    void close_all();
    // Whether every reply has left.
    bool flushed() const;
    // The connection whose call is being handled; nullptr outside of a handler.
    std::shared_ptr<ServerConnection> current() const { return current_; }

    std::function<void()> on_drained; // some connection's output has become short

private:
    friend class ServerConnection;
    void accept();

    boost::asio::io_context& loop_;
    const varlink::Service& service_;
    boost::asio::posix::stream_descriptor listener_;
    std::set<std::shared_ptr<ServerConnection>> connections_;
    std::shared_ptr<ServerConnection> current_;
    std::shared_ptr<bool> alive_;
};

} // namespace belljar
