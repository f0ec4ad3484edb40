#include "helper/supervisor/notifications.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/syscall.h>

namespace belljar {
namespace {

constexpr int kCallsInATurn = 64; // then other descriptors get their turn
// Linux 6.6: the answer wakes the caller on this processor at once, and the other way round; a third of the round trip.
constexpr unsigned long kSetFlags = _IOW(SECCOMP_IOC_MAGIC, 4, __u64);
constexpr unsigned long kSyncWakeUp = 1;

bool is_listener(int fd) {
    char path[32], target[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t length = ::readlink(path, target, sizeof target);
    return length > 0 && std::string_view(target, static_cast<std::size_t>(length)) == "anon_inode:seccomp notify";
}

} // namespace

Result<std::unique_ptr<Notifications>> Notifications::make(boost::asio::io_context& loop, UniqueFd listener,
                                                           Handler handler) {
    if (!is_listener(listener.get())) return failure("take the seccomp listener", "what arrived is no listener");
    seccomp_notif_sizes sizes{};
    if (::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
        return system_failure("seccomp SECCOMP_GET_NOTIF_SIZES");
    ::ioctl(listener.get(), kSetFlags, kSyncWakeUp); // older kernels answer EINVAL, and are slower
    return std::unique_ptr<Notifications>(
        new Notifications(loop, std::move(listener), std::move(handler),
                          std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)),
                          std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp))));
}

Notifications::Notifications(boost::asio::io_context& loop, UniqueFd listener, Handler handler,
                             std::size_t notification_size, std::size_t response_size)
    : listener_(loop, listener.release()), handler_(std::move(handler)), notification_(notification_size),
      response_(response_size), alive_(std::make_shared<bool>(true)) {
    wait();
}

Notifications::~Notifications() {
    *alive_ = false;
}

void Notifications::wait() {
    listener_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [this, alive = alive_](const boost::system::error_code& error) {
                             if (!error && *alive) drain();
                         });
}

void Notifications::drain() {
    for (int taken = 0; taken < kCallsInATurn; ++taken) {
        // Receiving blocks when there is nothing, whatever the descriptor's flags say.
        pollfd ready{.fd = listener_.native_handle(), .events = POLLIN, .revents = 0};
        const int count = ::poll(&ready, 1, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count > 0 && (ready.revents & POLLIN) != 0) {
            const auto alive = alive_;
            take_one();
            if (!*alive || !listener_.is_open()) return;
            continue;
        }
        if (count > 0 && (ready.revents & (POLLHUP | POLLERR)) != 0) return; // the last task under the filter has ended
        return wait();
    }
    boost::asio::post(listener_.get_executor(), [this, alive = alive_] {
        if (*alive && listener_.is_open()) drain();
    });
}

bool Notifications::take_one() {
    std::ranges::fill(notification_, std::byte{0});
    auto* notification = reinterpret_cast<seccomp_notif*>(notification_.data());
    // ENOENT: that caller was killed just now.
    if (::ioctl(listener_.native_handle(), SECCOMP_IOCTL_NOTIF_RECV, notification) != 0) return false;
    NotifiedCall call{
        .id = notification->id, .tid = static_cast<pid_t>(notification->pid), .number = notification->data.nr};
    std::copy(std::begin(notification->data.args), std::end(notification->data.args), std::begin(call.args));
    handler_(call);
    return true;
}

bool Notifications::answer(std::uint64_t id, int errno_value) {
    if (!listener_.is_open()) return false;
    std::ranges::fill(response_, std::byte{0});
    auto* response = reinterpret_cast<seccomp_notif_resp*>(response_.data());
    response->id = id;
    response->error = -errno_value;
    return ::ioctl(listener_.native_handle(), SECCOMP_IOCTL_NOTIF_SEND, response) == 0;
}

bool Notifications::waits(std::uint64_t id) const {
    auto& listener =
        const_cast<boost::asio::posix::stream_descriptor&>(listener_); // native_handle() is not const in Asio
    return listener.is_open() && ::ioctl(listener.native_handle(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

int Notifications::add_descriptor(std::uint64_t id, int fd, bool close_on_exec) {
    seccomp_notif_addfd added{};
    added.id = id;
    added.srcfd = static_cast<__u32>(fd);
    added.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
    return listener_.is_open() ? ::ioctl(listener_.native_handle(), SECCOMP_IOCTL_NOTIF_ADDFD, &added) : -1;
}

void Notifications::close() {
    boost::system::error_code ignored;
    listener_.close(ignored);
}

} // namespace belljar
