#include "helper/supervisor/udp_drop.h"

#include "helper/supervisor/event_fields.h"

#include <algorithm>
#include <boost/system/error_code.hpp>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

namespace belljar {
namespace {

constexpr int kDatagramsPerTurn = 64; // then the loop's other work

// The original destination of one datagram, which is taken out of the queue; errno EAGAIN: none is there.
struct Taken {
    bool any = false;
    std::optional<Endpoint> original;
};

Taken take_one(int fd) {
    char nothing = 0; // what it says is of no interest
    iovec into{&nothing, sizeof nothing};
    alignas(cmsghdr) char control[256];
    msghdr message{};
    message.msg_iov = &into;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(fd, &message, MSG_DONTWAIT) < 0) return {};
    Taken taken{true, std::nullopt};
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
        const bool v4 = each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_ORIGDSTADDR;
        const bool v6 = each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_ORIGDSTADDR;
        if (!v4 && !v6) continue;
        sockaddr_storage address{};
        const std::size_t length = std::min(sizeof address, static_cast<std::size_t>(each->cmsg_len) - CMSG_LEN(0));
        std::memcpy(&address, CMSG_DATA(each), length);
        taken.original = Endpoint::from(reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(length));
    }
    return taken;
}

} // namespace

UdpDrop::UdpDrop(boost::asio::io_context& loop, std::vector<UniqueFd> sockets, const Judge& judge, Recorder& recorder)
    : judge_(judge), recorder_(recorder) {
    for (UniqueFd& fd : sockets) {
        auto socket = std::make_unique<Socket>(loop);
        socket->assign(fd.get());
        static_cast<void>(fd.release()); // the descriptor object has it now
        sockets_.push_back(std::move(socket));
        wait(*sockets_.back());
    }
}

void UdpDrop::wait(Socket& socket) {
    socket.async_wait(Socket::wait_read,
                      [this, &socket, alive = std::weak_ptr(alive_)](boost::system::error_code error) {
                          if (error || alive.expired()) return;
                          take(socket);
                          wait(socket);
                      });
}

void UdpDrop::take(Socket& socket) {
    for (int i = 0; i < kDatagramsPerTurn; ++i) {
        const Taken taken = take_one(socket.native_handle());
        if (!taken.any) return; // nothing there, or an ICMP error of an answer we never send
        record(taken.original.value_or(Endpoint{}));
    }
}

void UdpDrop::record(const Endpoint& original) {
    Judgement judgement = judge_.judge(original, Transport::Udp);
    if (judgement.kind != Judgement::Kind::Denied)
        judgement.verdict = Verdict{false, false, {}, "UDP leaves only as DNS"};
    const std::string key = denial_key(judgement.destination, judgement.verdict, std::nullopt);
    if (recorder_.repeat(key)) return;
    recorder_.note_repeating(key, denied_egress(judgement.destination, judgement.verdict, std::nullopt));
}

} // namespace belljar
