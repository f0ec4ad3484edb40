#include "core/system/descriptor_passing.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace belljar {

Status send_with_fds(int socket, std::span<const std::byte> bytes, std::span<const int> fds) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxPassedFds)] = {};
    if (fds.size() > kMaxPassedFds) return failure("send descriptors", "too many in one message");
    bool first = true;
    while (first || !bytes.empty()) {
        iovec iov{const_cast<std::byte*>(bytes.data()), bytes.size()};
        msghdr message{};
        message.msg_iov = &iov;
        message.msg_iovlen = 1;
        if (first && !fds.empty()) {
            message.msg_control = control;
            message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
            std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
        }
        const ssize_t n = ::sendmsg(socket, &message, MSG_NOSIGNAL);
        if (n < 0) {
            if (errno == EINTR) continue;
            return system_failure("send on a socket");
        }
        first = false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
}

Result<Received> receive_with_fds(int socket, std::span<std::byte> into) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxPassedFds)] = {};
    iovec iov{into.data(), into.size()};
    msghdr message{};
    message.msg_iov = &iov;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t n = 0;
    do n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0) return system_failure("receive on a socket");
    Received received;
    received.bytes = static_cast<std::size_t>(n);
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
            received.fds.emplace_back(fd);
        }
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return system_failure("receive on a socket", EMSGSIZE);
    return received;
}

Result<std::pair<UniqueFd, UniqueFd>> make_socketpair(int type) {
    int ends[2];
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return system_failure("socketpair");
    return std::pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<std::pair<UniqueFd, UniqueFd>> make_pipe(int flags) {
    int ends[2];
    if (::pipe2(ends, flags | O_CLOEXEC) != 0) return system_failure("pipe");
    return std::pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

} // namespace belljar
