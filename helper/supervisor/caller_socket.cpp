#include "helper/supervisor/caller_socket.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace belljar {
namespace {

// pidfd_getfd, once more when the thread that the descriptor knew has ended and its number has a new bearer.
tl::expected<UniqueFd, Untaken> duplicate(const NotifiedCall& call, Processes& processes) {
    const int pidfd = processes.pidfd(call.tid);
    if (pidfd < 0) return tl::unexpected(Untaken{EACCES, true});
    const int number = static_cast<int>(call.args[0]);
    if (number < 0) return tl::unexpected(Untaken{EBADF, false});
    UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd, number, 0)));
    if (fd) return fd;
    if (errno == EBADF) return tl::unexpected(Untaken{EBADF, false});
    return tl::unexpected(
        Untaken{EACCES, true}); // Yama 3, an execute-only program of root's, our own descriptors exhausted
}

bool option(int fd, int name, int& value) {
    socklen_t length = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0;
}

// In the kernel's order: a wrong length first, then the memory (move_addr_to_kernel).
tl::expected<void, Untaken> copy_address(const NotifiedCall& call, CallerSocket& into) {
    const int length = static_cast<int>(call.args[2]);
    if (length < 0 || static_cast<std::size_t>(length) > sizeof into.address)
        return tl::unexpected(Untaken{EINVAL, false});
    into.length = static_cast<socklen_t>(length);
    if (length == 0) return {};
    const iovec local{&into.address, into.length};
    const iovec remote{reinterpret_cast<void*>(call.args[1]), into.length};
    const ssize_t got = ::process_vm_readv(call.tid, &local, 1, &remote, 1, 0);
    if (got == length) return {};
    if (got >= 0 || errno == EFAULT) return tl::unexpected(Untaken{EFAULT, false});
    return tl::unexpected(Untaken{EACCES, true});
}

} // namespace

tl::expected<CallerSocket, Untaken> take_caller_socket(const NotifiedCall& call, Processes& processes,
                                                       const Notifications& notifications) {
    CallerSocket caller;
    auto fd = duplicate(call, processes);
    if (!fd) return tl::unexpected(fd.error());
    caller.fd = std::move(*fd);
    if (!option(caller.fd.get(), SO_DOMAIN, caller.domain) || !option(caller.fd.get(), SO_TYPE, caller.type) ||
        !option(caller.fd.get(), SO_PROTOCOL, caller.protocol))
        return tl::unexpected(Untaken{errno == EBADF ? EBADF : ENOTSOCK, false});
    if (auto copied = copy_address(call, caller); !copied) return tl::unexpected(copied.error());
    const int flags = ::fcntl(caller.fd.get(), F_GETFL);
    caller.network = network_of(caller.fd.get());
    caller.blocking = flags < 0 || (flags & O_NONBLOCK) == 0;
    // The number may have been another thread's by the time of the look-ups: only a caller that still waits is the
    // right one.
    if (!notifications.waits(call.id)) return tl::unexpected(Untaken{ESRCH, false});
    return caller;
}

std::optional<std::uint64_t> network_of(int socket) {
    std::uint64_t cookie = 0;
    socklen_t length = sizeof cookie;
    if (::getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &length) != 0) return std::nullopt;
    return cookie;
}

int connect_on_behalf(const CallerSocket& caller) {
    return ::connect(caller.fd.get(), caller.raw(), caller.length) == 0 ? 0 : errno;
}

} // namespace belljar
