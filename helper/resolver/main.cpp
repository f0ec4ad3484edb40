// belljar-resolver: getaddrinfo(3) for one session, outside the jar, so that nsswitch, /etc/hosts, VPNs and mDNS hold
// as for any program of the user's. One thread reads requests; a bounded number of others wait in getaddrinfo. At
// end-of-file the session is over: its runtime folder is removed, and the process ends whatever its threads are waiting
// for.
#include "helper/resolver/protocol.h"
#include "helper/resolver/requests.h"
#include "helper/resolver/stub.h"

#include <arpa/inet.h>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace belljar {
namespace {

constexpr std::size_t kMaxWaiting = 1024;
constexpr std::size_t kMaxAddresses = 32;

void send_reply(const ResolveReply& reply) {
    const std::string message = encode(reply);
    while (::send(kResolverSocket, message.data(), message.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

std::vector<std::string> texts(const addrinfo* list) {
    std::vector<std::string> out;
    for (; list && out.size() < kMaxAddresses; list = list->ai_next) {
        char text[INET6_ADDRSTRLEN] = {};
        const void* address = nullptr;
        if (list->ai_family == AF_INET) address = &reinterpret_cast<const sockaddr_in*>(list->ai_addr)->sin_addr;
        if (list->ai_family == AF_INET6) address = &reinterpret_cast<const sockaddr_in6*>(list->ai_addr)->sin6_addr;
        if (address && ::inet_ntop(list->ai_family, address, text, sizeof text)) out.emplace_back(text);
    }
    return out;
}

ResolveReply look_up(const ResolveRequest& request) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(request.name.c_str(), nullptr, &hints, &found);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(code == 0 ? found : nullptr, &::freeaddrinfo);
    ResolveReply reply{request.request, texts(owned.get()), {}, 0};
    if (!reply.addresses.empty()) return reply;
    reply.code = code != 0 ? code : EAI_NODATA;
    reply.error = ::gai_strerror(reply.code);
    return reply;
}

class Workers {
public:
    void add(ResolveRequest request) {
        std::unique_lock lock(mutex_);
        if (waiting_.size() >= kMaxWaiting) {
            lock.unlock();
            return send_reply({request.request, {}, "too many names at once", EAI_AGAIN});
        }
        waiting_.push_back(std::move(request));
        if (idle_ < waiting_.size() && threads_ < kMaxResolverThreads) start_thread();
        wake_.notify_one();
        if (threads_ > 0) return;
        const std::uint64_t unserved = waiting_.front().request;
        waiting_.clear();
        lock.unlock();
        send_reply({unserved, {}, "no thread could be started", EAI_AGAIN});
    }

private:
    void start_thread() {
        try {
            std::thread([this] { work(); }).detach(); // ends with the process
            ++threads_;
        } catch (const std::system_error&) {
            // A process limit, say. Those that there are do the work; if there is none, `add` says so.
        }
    }
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            ++idle_;
            wake_.wait(lock, [this] { return !waiting_.empty(); });
            --idle_;
            const ResolveRequest request = std::move(waiting_.front());
            waiting_.pop_front();
            lock.unlock();
            send_reply(look_up(request));
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<ResolveRequest> waiting_;
    std::size_t idle_ = 0, threads_ = 0;
};

void serve(Workers& workers) {
    static char message[kMaxResolverMessage];
    for (;;) {
        const ssize_t length = ::recv(kResolverSocket, message, sizeof message, MSG_TRUNC);
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0 || static_cast<std::size_t>(length) > sizeof message) return;
        auto request = parse_request(std::string_view(message, static_cast<std::size_t>(length)));
        if (!request) return; // the supervisor does not speak the protocol: end, and every name is refused
        workers.add(std::move(*request));
    }
}

} // namespace
} // namespace belljar

int main(int argc, char** argv) {
    int type = 0;
    socklen_t length = sizeof type;
    if (argc != 2 || ::getsockopt(belljar::kResolverSocket, SOL_SOCKET, SO_TYPE, &type, &length) != 0 ||
        type != SOCK_SEQPACKET) {
        std::fputs("belljar-resolver: started by belljar-helper only, with its socket as descriptor 3\n", stderr);
        return 2;
    }
    static belljar::Workers workers; // outlives its threads: the process ends by _exit
    belljar::serve(workers);
    belljar::remove_runtime_folder(argv[1]);
    ::_exit(0);
}
