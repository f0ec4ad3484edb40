// Runs between fork and exec: only async-signal-safe calls (signal-safety(7)), no allocation.
#include "helper/resolver/stub.h"

#include "helper/resolver/protocol.h"

#include <cerrno>
#include <fcntl.h>
#include <initializer_list>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr short kClosed = POLLHUP | POLLRDHUP | POLLERR | POLLNVAL;

void keep_only(int socket) {
    if (socket != kResolverSocket) {
        ::dup2(socket, kResolverSocket);
    } else {
        ::fcntl(socket, F_SETFD, 0); // dup2(2) onto itself would leave close-on-exec set
    }
    ::syscall(SYS_close_range, kResolverSocket + 1, ~0U, 0);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; stream < kResolverSocket && null >= 0; ++stream)
        ::dup2(null, stream);
}

void default_signals() {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD})
        ::sigaction(signal, &action, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace

void remove_runtime_folder(const char* runtime_folder) {
    const int folder = ::open(runtime_folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    ::unlinkat(folder, "session.sock", 0); // kSessionSocket in core/session/paths.h
    ::close(folder);
    ::rmdir(runtime_folder);
}

void stub_main(int socket, const char* program, const char* runtime_folder) {
    ::setsid(); // a ^C in the launcher's terminal is not for us
    default_signals();
    keep_only(socket);

    pollfd wait{kResolverSocket, POLLIN | POLLRDHUP, 0};
    for (;;) {
        if (::poll(&wait, 1, -1) < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            break;
        }
        if (wait.revents & kClosed) break;
        char* const argv[] = {const_cast<char*>(program), const_cast<char*>(runtime_folder), nullptr};
        ::execve(program, argv, environ);
        // There is no resolver: the supervisor sees end-of-file and refuses every name. The tidying stays ours.
        ::shutdown(kResolverSocket, SHUT_WR);
        wait.events = POLLRDHUP;
    }
    remove_runtime_folder(runtime_folder);
    ::_exit(0);
}

} // namespace belljar
