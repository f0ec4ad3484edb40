// socketpair(AF_UNIX, SOCK_DGRAM), which no filter can let pass: a datagram socket takes a name with each message, unseen, and so
// reaches a datagram socket of the host whose file lies in a visible folder. What the callers of socketpair want (socat, to hear
// of a child's end) is the message boundaries, and SOCK_SEQPACKET keeps them and takes no names (unix(7)). So the pair is made of
// that: by init, in the session's network namespace, and put into the caller here (seccomp_unotify(2), SECCOMP_IOCTL_NOTIF_ADDFD).
// What tells the two apart: SO_TYPE, and that the end of one is the end of file at the other. Loop thread only.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"
#include "helper/supervisor/notifications.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace belljar {

class DatagramPairs {
public:
    // Asks init (link::Type::MakePair). An Error: it cannot be asked now.
    using AskInit = std::function<Status(std::uint32_t request)>;

    DatagramPairs(Notifications& notifications, AskInit ask_init)
        : notifications_(notifications), ask_init_(std::move(ask_init)) {}

    static bool is_one(const NotifiedCall& call);
    // Answers the call, now or later; only for what is_one.
    void make(const NotifiedCall& call);
    // Init's answer (link::Type::PairMade): two descriptors, or none. False: nothing of that number was asked.
    bool made(std::uint32_t request, std::vector<UniqueFd> fds);

private:
    int write_numbers(const NotifiedCall& call, int first, int second);
    int place(const NotifiedCall& call, const std::vector<UniqueFd>& fds);

    Notifications& notifications_;
    AskInit ask_init_;
    std::unordered_map<std::uint32_t, NotifiedCall> asked_;
    std::uint32_t next_ = 0;
};

} // namespace belljar
