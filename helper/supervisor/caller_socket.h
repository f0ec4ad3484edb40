// What a notified connect() named, taken so that nothing inside can change it any more: a copy of the address, and a
// duplicate of the caller's own socket. A thread that flips the memory or the descriptor meanwhile only changes which
// of its own wishes is judged. Rests on seccomp_unotify(2), process_vm_readv(2), pidfd_getfd(2), socket(7).
#pragma once

#include "core/system/unique_fd.h"
#include "helper/supervisor/notifications.h"
#include "helper/supervisor/processes.h"

#include <cstdint>
#include <optional>
#include <sys/socket.h>
#include <tl/expected.hpp>

namespace belljar {

struct CallerSocket {
    UniqueFd fd; // shares everything with the caller's: flags must not be changed on it
    sockaddr_storage address{};
    socklen_t length = 0;
    int domain = 0, type = 0, protocol = 0;
    bool blocking = true;
    std::optional<std::uint64_t> network; // the cookie of the network namespace that it was made in, and stays in

    sa_family_t family() const { return length >= sizeof(sa_family_t) ? address.ss_family : sa_family_t{AF_UNSPEC}; }
    const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&address); }
};

struct Untaken {
    int errno_value = 0;
    bool ours = false; // we were refused, not the caller by the kernel's own rules: worth a record
};

// The errno is what the kernel would have answered, or EACCES when the caller's memory or descriptors cannot be had
// (fail closed).
tl::expected<CallerSocket, Untaken> take_caller_socket(const NotifiedCall& call, Processes& processes,
                                                       const Notifications& notifications);
// SO_NETNS_COOKIE (socket(7), Linux 5.14): the same number for two sockets of one network namespace, no other has it.
std::optional<std::uint64_t> network_of(int socket);
// connect(2) with the copied address; 0 or the errno. Blocks where the socket does.
int connect_on_behalf(const CallerSocket& caller);

} // namespace belljar
