// A Service behind a real Unix socket, one thread for each connection: what the tests connect to.
#pragma once

#include "core/system/unique_fd.h"
#include "core/varlink/service.h"

#include <QTemporaryDir>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace belljar::varlink {

inline void write_to(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

// Serves until the peer closes or breaks the protocol.
inline void serve(const Service& service, UniqueFd socket) {
    const auto connection = service.connect([fd = socket.get()](std::string bytes) { write_to(fd, bytes); });
    FrameSplitter frames;
    char buffer[64 << 10];
    for (;;) {
        const ssize_t n = ::recv(socket.get(), buffer, sizeof buffer, 0);
        if (n <= 0 || !frames.feed(std::span(buffer, static_cast<std::size_t>(n)))) return;
        while (const auto frame = frames.next())
            if (!connection->handle(*frame)) return;
    }
}

class SocketServer {
public:
    explicit SocketServer(const Service& service, const std::string& name = "socket") : service_(service) {
        // A long name is reached through the folder, as the client does it.
        const UniqueFd folder(::open(folder_.path().toStdString().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        path_ = folder_.path().toStdString() + "/" + name;
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string short_path = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
        std::memcpy(address.sun_path, short_path.c_str(), short_path.size() + 1);
        listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(listener_.get(), 16) != 0)
            throw std::runtime_error("the test cannot listen");
        acceptor_ = std::thread([this] { accept_all(); });
    }
    SocketServer(const SocketServer&) = delete;
    SocketServer& operator=(const SocketServer&) = delete;
    ~SocketServer() {
        ::shutdown(listener_.get(), SHUT_RDWR);
        acceptor_.join();
        {
            const std::lock_guard lock(mutex_);
            for (const UniqueFd& peer : peers_)
                ::shutdown(peer.get(), SHUT_RDWR);
        }
        for (std::thread& thread : threads_)
            thread.join();
    }

    const std::string& path() const { return path_; }

private:
    void accept_all() {
        for (;;) {
            UniqueFd peer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!peer) return;
            const std::lock_guard lock(mutex_);
            peers_.emplace_back(::fcntl(peer.get(), F_DUPFD_CLOEXEC, 0));
            threads_.emplace_back([this, socket = std::move(peer), copy = peers_.back().get()]() mutable {
                serve(service_, std::move(socket));
                ::shutdown(copy, SHUT_RDWR); // the copy must not keep the connection open
            });
        }
    }

    const Service& service_;
    QTemporaryDir folder_;
    std::string path_;
    UniqueFd listener_;
    std::mutex mutex_;
    std::vector<UniqueFd> peers_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

} // namespace belljar::varlink
