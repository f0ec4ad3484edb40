// Connects Unix sockets on a caller's behalf (DESIGN: Seccomp): the supervisor has judged the address and sends the caller's own
// socket; pid 1 makes the connection, so that the server inside sees credentials of its own session. A connection to a full
// backlog blocks, so each runs on a thread of its own, bounded; beyond that the answer is EAGAIN.
#pragma once

#include "helper/link/link.h"

#include <atomic>

namespace belljar {

class UnixConnector {
public:
    explicit UnixConnector(int link) : link_(link) {}
    // Answers with ConnectDone over the link, from another thread or at once.
    void connect(link::Message request);

private:
    static constexpr int kMaxThreads = 64;
    int link_;
    std::atomic<int> running_{0};
};

} // namespace belljar
