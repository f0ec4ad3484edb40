// A child process under a small seccomp filter with a listener, as a session's command is: connect() and swapon(2) are
// notified, all else is allowed. For tests that need the real kernel on the other side.
#pragma once

#include "core/system/descriptor_passing.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace belljar {

inline constexpr int kDeniedCall = SYS_swapon;

class FilteredChild {
public:
    // `body` runs in the child; what it returns is its exit status.
    explicit FilteredChild(const std::function<int()>& body) {
        auto pair = make_socketpair(SOCK_SEQPACKET);
        if (!pair) throw std::runtime_error(pair.error().message());
        pid_ = ::fork();
        if (pid_ == 0) {
            pair->first.reset();
            const int listener = install();
            if (listener < 0 ||
                !send_with_fds(pair->second.get(), std::as_bytes(std::span("L", 1)), std::span(&listener, 1)))
                ::_exit(99);
            ::close(listener);
            pair->second.reset();
            ::_exit(body());
        }
        pair->second.reset();
        std::byte byte[1];
        auto received = receive_with_fds(pair->first.get(), byte);
        if (!received || received->fds.size() != 1) throw std::runtime_error("the child could not install its filter");
        listener_ = std::move(received->fds.front());
    }
    ~FilteredChild() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    FilteredChild(const FilteredChild&) = delete;
    FilteredChild& operator=(const FilteredChild&) = delete;

    pid_t pid() const { return pid_; }
    UniqueFd take_listener() { return std::move(listener_); }
    // The exit status once it has ended.
    std::optional<int> ended() {
        int status = 0;
        if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    void kill() { ::kill(pid_, SIGKILL); }

private:
    static int install() {
        sock_filter program[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_connect, 1, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kDeniedCall, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        sock_fprog filter{sizeof program / sizeof program[0], program};
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                          SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                                          &filter));
    }

    pid_t pid_ = -1;
    UniqueFd listener_;
};

} // namespace belljar
