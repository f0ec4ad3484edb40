#include "helper/init/unix_connector.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace belljar {
namespace {

// fds[0] is the caller's socket; fds[1], if there, an O_PATH descriptor of the socket file, which is reached through
// /proc/self/fd so that no name is looked up again.
int connect_now(const link::Message& request) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socklen_t length = 0;
    if (request.fds.size() >= 2) {
        const std::string path = fmt::format("/proc/self/fd/{}", request.fds[1].get());
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    } else {
        if (request.text.empty() || request.text.size() > sizeof address.sun_path || request.text[0] != '\0') return EINVAL;
        std::memcpy(address.sun_path, request.text.data(), request.text.size());
        length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + request.text.size());
    }
    int result = 0;
    do result = ::connect(request.fds[0].get(), reinterpret_cast<const sockaddr*>(&address), length);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

struct Work {
    int link;
    std::atomic<int>* running;
    link::Message request;
};

void* work(void* argument) {
    const std::unique_ptr<Work> own(static_cast<Work*>(argument));
    const int result = connect_now(own->request);
    own->request.fds.clear();
    (void)link::send(own->link, link::Type::ConnectDone, own->request.request, result);
    own->running->fetch_sub(1);
    return nullptr;
}

} // namespace

void UnixConnector::connect(link::Message request) {
    const std::uint32_t number = request.request;
    int refused = request.fds.empty() ? EINVAL : 0;
    if (refused == 0 && running_.fetch_add(1) >= kMaxThreads) {
        running_.fetch_sub(1);
        refused = EAGAIN;
    }
    if (refused == 0) {
        auto own = std::make_unique<Work>(Work{link_, &running_, std::move(request)});
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 128 * 1024);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_t thread{};
        const int made = pthread_create(&thread, &attributes, work, own.get());
        pthread_attr_destroy(&attributes);
        if (made == 0) {
            (void)own.release();
            return;
        }
        running_.fetch_sub(1);
        refused = EAGAIN;
    }
    (void)link::send(link_, link::Type::ConnectDone, number, refused);
}

} // namespace belljar
