// Plain blocking TCP for the probes.
#pragma once

#include "core/system/unique_fd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>

namespace belljar::bench {

inline sockaddr_in address_of(const std::string& address, int port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1)
        throw std::runtime_error("not an IPv4 address: " + address);
    return to;
}

inline UniqueFd connect_to(const sockaddr_in& to) {
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
        throw std::runtime_error("connect failed");
    return socket;
}

inline UniqueFd listen_on(const sockaddr_in& at) {
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
        ::listen(socket.get(), 1024) != 0)
        throw std::runtime_error("cannot listen");
    return socket;
}

} // namespace belljar::bench
