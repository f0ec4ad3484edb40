// connect() to a Unix socket. The session's own sockets just work; a socket of the host (ssh-agent, D-Bus, docker.sock)
// whose file happens to lie in a visible folder is refused: EACCES and an `egress` event with the path. Init makes the
// connection, on the caller's own socket, so that the server sees a process of the session and its abstract names are
// the session's. Loop thread only.
#pragma once

#include "helper/supervisor/broker_parts.h"
#include "helper/supervisor/caller_socket.h"
#include "helper/supervisor/session_sockets.h"

#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>

namespace belljar {

class UnixConnect {
public:
    // Asks init (link::Type::ConnectUnix). An Error: it cannot be asked now.
    using AskInit =
        std::function<Status(std::uint32_t request, std::string_view abstract_name, std::span<const int> fds)>;

    UnixConnect(BrokerParts parts, SessionSockets& sockets, AskInit ask_init)
        : parts_(parts), sockets_(sockets), ask_init_(std::move(ask_init)) {}
    void connect(const NotifiedCall& call, CallerSocket caller);
    // Init's answer (link::Type::ConnectDone). False: nothing of that number was asked.
    bool done(std::uint32_t request, int errno_value);

private:
    void connect_path(const NotifiedCall& call, const CallerSocket& caller, std::string_view path);
    void ask(const NotifiedCall& call, std::string_view abstract_name, std::span<const int> fds);
    void deny(const NotifiedCall& call, const std::string& path, const std::string& reason);

    BrokerParts parts_;
    SessionSockets& sockets_;
    AskInit ask_init_;
    std::unordered_map<std::uint32_t, std::uint64_t> asked_; // request → notification
    std::uint32_t next_ = 0;
};

} // namespace belljar
