// Descriptors over Unix sockets: SCM_RIGHTS (unix(7), cmsg(3)). Received descriptors are close-on-exec.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace belljar {

inline constexpr std::size_t kMaxPassedFds = 64;

struct Received {
    std::size_t bytes = 0; // 0: the peer closed
    std::vector<UniqueFd> fds;
};

// Sends all bytes (one message on SOCK_SEQPACKET); the descriptors ride on the first. Blocks, unless the socket does not:
// then EAGAIN comes back as the Error's errno. Never raises SIGPIPE.
Status send_with_fds(int socket, std::span<const std::byte> bytes, std::span<const int> fds);
// One recvmsg. A message whose bytes or descriptors were cut is an error (EMSGSIZE).
Result<Received> receive_with_fds(int socket, std::span<std::byte> into);

// A connected pair, both ends close-on-exec. `type` is SOCK_STREAM or SOCK_SEQPACKET (| SOCK_NONBLOCK).
Result<std::pair<UniqueFd, UniqueFd>> make_socketpair(int type);
Result<std::pair<UniqueFd, UniqueFd>> make_pipe(int flags = 0); // read end, write end

} // namespace belljar
