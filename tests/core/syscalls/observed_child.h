// A child under a session's filter, with the listener in our hands: what the kernel notified, and how the child ended.
#pragma once

#include "core/syscalls/filter.h"
#include "core/syscalls/table.h"
#include "core/system/descriptor_passing.h"

#include <cerrno>
#include <functional>
#include <linux/seccomp.h>
#include <map>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar {

struct Observed {
    int wait_status = -1;
    std::map<std::string, int> notified; // by name
};

// Between fork and exec, or instead of an exec: only calls that the filter allows may stand behind it.
inline int install_filter(const std::vector<sock_filter>& filter) {
    const sock_fprog program{static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                      SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                                      &program));
}

// Runs `body` in a child under the filter; each notified call is answered with its denial errno.
inline Result<Observed> observe(const SyscallSpec& spec, const std::function<int()>& body) {
    const auto filter = build_filter(spec);
    if (!filter) return tl::unexpected(filter.error());
    auto link = make_socketpair(SOCK_SEQPACKET);
    if (!link) return tl::unexpected(link.error());
    const pid_t child = ::fork();
    if (child < 0) return system_failure("fork");
    const std::byte hello{1};
    if (child == 0) {
        UniqueFd listener(install_filter(*filter));
        const int fds[] = {listener.get()};
        if (!listener || !send_with_fds(link->second.get(), std::span(&hello, 1), fds)) ::_exit(99);
        listener.reset();
        ::_exit(body());
    }
    link->second.reset();
    Observed observed;
    std::byte byte{};
    auto received = receive_with_fds(link->first.get(), std::span(&byte, 1));
    if (received && !received->fds.empty()) {
        const int listener = received->fds[0].get();
        for (;;) {
            pollfd one{listener, POLLIN, 0};
            if (::poll(&one, 1, 60000) <= 0) break;
            if ((one.revents & POLLIN) == 0) break; // every process under the filter is gone
            seccomp_notif call{};
            if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue; // its caller was killed
            ++observed.notified[std::string(syscall_name(call.data.nr))];
            seccomp_notif_resp answer{};
            answer.id = call.id;
            answer.error = -denial_errno(call.data.nr);
            ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
        }
    }
    if (::waitpid(child, &observed.wait_status, 0) != child) return system_failure("waitpid");
    return observed;
}

} // namespace belljar
