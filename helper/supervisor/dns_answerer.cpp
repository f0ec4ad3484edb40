// The sockets of the DNS answerer (declared in door.h). Whatever resolver address a program picks arrives here, and the
// answer leaves from that address.
#include "helper/supervisor/dns_replies.h"
#include "helper/supervisor/door.h"

#include "helper/supervisor/event_fields.h"

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

namespace belljar {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::posix::stream_descriptor;

constexpr int kQueriesPerTurn = 64; // then the loop's other work
constexpr std::size_t kMaxQuery = 4096;
constexpr std::size_t kMaxStreams = 64;
constexpr std::chrono::seconds kStreamPatience{10};
constexpr std::chrono::milliseconds kAcceptPause{100};

// The packet information of a query, made into that of its answer: the address that was asked is the one that answers.
struct Control {
    alignas(cmsghdr) std::array<char, 256> bytes;
    std::size_t length = 0;
};

bool turn_around(msghdr& query, Control& answer) {
    for (cmsghdr* each = CMSG_FIRSTHDR(&query); each; each = CMSG_NXTHDR(&query, each)) {
        const bool v4 = each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_PKTINFO &&
                        each->cmsg_len >= CMSG_LEN(sizeof(in_pktinfo));
        const bool v6 = each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_PKTINFO &&
                        each->cmsg_len >= CMSG_LEN(sizeof(in6_pktinfo));
        if (!v4 && !v6) continue;
        const std::size_t size = v4 ? sizeof(in_pktinfo) : sizeof(in6_pktinfo);
        answer.bytes.fill(0);
        answer.length = CMSG_SPACE(size);
        auto* header = reinterpret_cast<cmsghdr*>(answer.bytes.data());
        header->cmsg_level = each->cmsg_level;
        header->cmsg_type = each->cmsg_type;
        header->cmsg_len = CMSG_LEN(size);
        if (v4) {
            in_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(each), sizeof info);
            info.ipi_spec_dst = info.ipi_addr;
            info.ipi_ifindex = 0;
            std::memcpy(CMSG_DATA(header), &info, sizeof info);
        } else {
            std::memcpy(CMSG_DATA(header), CMSG_DATA(each), size);
        }
        return true;
    }
    return false;
}

class SocketAnswerer : public std::enable_shared_from_this<SocketAnswerer> {
public:
    SocketAnswerer(asio::io_context& loop, Judge& judge, Recorder& recorder, const DnsCallers& callers)
        : loop_(loop), judge_(judge), recorder_(recorder), callers_(callers) {}

    void add(Door::Socket socket) {
        const bool v6 = socket.role == link::Role::DnsUdp6 || socket.role == link::Role::DnsTcp6;
        const bool udp = socket.role == link::Role::DnsUdp4 || socket.role == link::Role::DnsUdp6;
        const int on = 1; // to answer from an address that no interface has: ip(7), ipv6(7)
        if (udp)
            ::setsockopt(socket.fd.get(), v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_FREEBIND : IP_FREEBIND, &on,
                         sizeof on);
        auto descriptor = std::make_shared<Socket>(loop_);
        descriptor->assign(socket.fd.get());
        static_cast<void>(socket.fd.release()); // the descriptor object has it now
        descriptors_.push_back(descriptor);
        if (udp)
            asio::co_spawn(loop_, answer_datagrams(shared_from_this(), descriptor), asio::detached);
        else
            asio::co_spawn(loop_, accept_streams(shared_from_this(), descriptor), asio::detached);
    }

    void stop() {
        stopped_ = true;
        error_code ignored; // closing sockets that we own: nothing to report
        for (const auto& each : descriptors_)
            each->close(ignored);
        for (const auto& weak : streams_)
            if (const auto stream = weak.lock()) stream->close(ignored);
    }

private:
    static asio::awaitable<void> answer_datagrams(std::shared_ptr<SocketAnswerer> self,
                                                  std::shared_ptr<Socket> socket) {
        error_code error;
        for (;;) {
            co_await socket->async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
            if (error || self->stopped_) co_return;
            for (int i = 0; i < kQueriesPerTurn && self->answer_datagram(socket->native_handle()); ++i) {
            }
        }
    }

    bool answer_datagram(int fd) {
        std::array<std::byte, kMaxQuery> bytes;
        sockaddr_storage source{};
        Control received, sent;
        iovec part{bytes.data(), bytes.size()};
        msghdr message{};
        message.msg_name = &source;
        message.msg_namelen = sizeof source;
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = received.bytes.data();
        message.msg_controllen = received.bytes.size();
        const ssize_t length = ::recvmsg(fd, &message, MSG_DONTWAIT);
        if (length < 0) return errno == EINTR;
        const auto asker = Endpoint::from(reinterpret_cast<const sockaddr*>(&source), message.msg_namelen);
        const auto answer = outcome(std::span(bytes).first(static_cast<std::size_t>(length)), asker);
        if (!answer || !turn_around(message, sent)) return true;
        iovec out{const_cast<std::byte*>(answer->data()), answer->size()};
        message.msg_iov = &out;
        message.msg_control = sent.bytes.data();
        message.msg_controllen = sent.length;
        message.msg_flags = 0;
        ::sendmsg(fd, &message,
                  MSG_NOSIGNAL | MSG_DONTWAIT); // as with any datagram: one that is lost is asked for again
        return true;
    }

    static asio::awaitable<void> accept_streams(std::shared_ptr<SocketAnswerer> self, std::shared_ptr<Socket> socket) {
        error_code error;
        for (;;) {
            co_await socket->async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
            if (error || self->stopped_) co_return;
            sockaddr_storage source{};
            socklen_t length = sizeof source;
            UniqueFd accepted(::accept4(socket->native_handle(), reinterpret_cast<sockaddr*>(&source), &length,
                                        SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (!accepted && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
                asio::steady_timer pause(self->loop_, kAcceptPause);
                co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
            }
            std::erase_if(self->streams_, [](const auto& each) { return each.expired(); });
            if (!accepted || self->streams_.size() >= kMaxStreams) continue; // over the bound: closed at once
            const auto stream = std::make_shared<Socket>(self->loop_);
            stream->assign(accepted.get(), error);
            if (error) continue;
            static_cast<void>(accepted.release()); // the descriptor object has it now
            self->streams_.push_back(stream);
            asio::co_spawn(self->loop_,
                           answer_stream(self, stream, Endpoint::from(reinterpret_cast<sockaddr*>(&source), length)),
                           asio::detached);
        }
    }

    // RFC 1035 §4.2.2: each message after its length. A stream that is idle for ten seconds, or does not take its
    // answers, is closed.
    static asio::awaitable<void> answer_stream(std::shared_ptr<SocketAnswerer> self, std::shared_ptr<Socket> stream,
                                               std::optional<Endpoint> asker) {
        asio::steady_timer patience(self->loop_);
        std::array<std::byte, 2 + kMaxQuery> bytes;
        std::size_t held = 0;
        error_code error;
        for (;;) {
            const ssize_t got = ::recv(stream->native_handle(), bytes.data() + held, bytes.size() - held, MSG_DONTWAIT);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) {
                patience.expires_after(kStreamPatience);
                patience.async_wait([weak = std::weak_ptr(stream)](error_code stopped) {
                    const auto late = weak.lock();
                    error_code ignored; // closing a socket that we own: nothing to report
                    if (!stopped && late) late->close(ignored);
                });
                co_await stream->async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, error));
                patience.cancel();
                if (error || self->stopped_ || !stream->is_open()) co_return;
                continue;
            }
            if (got <= 0) co_return;
            held += static_cast<std::size_t>(got);
            while (held >= 2) {
                const std::size_t length =
                    std::to_integer<std::size_t>(bytes[0]) << 8 | std::to_integer<std::size_t>(bytes[1]);
                if (length > kMaxQuery) co_return;
                if (held < 2 + length) break;
                if (!self->answer_message(stream->native_handle(), std::span(bytes).subspan(2, length), asker))
                    co_return;
                held -= 2 + length;
                std::memmove(bytes.data(), bytes.data() + 2 + length, held);
            }
        }
    }

    bool answer_message(int fd, std::span<const std::byte> message, const std::optional<Endpoint>& asker) {
        const auto answer = outcome(message, asker);
        if (!answer) return true;
        dns::Message framed{static_cast<std::byte>(answer->size() >> 8), static_cast<std::byte>(answer->size() & 0xFF)};
        framed.insert(framed.end(), answer->begin(), answer->end());
        return ::send(fd, framed.data(), framed.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
               static_cast<ssize_t>(framed.size());
    }

    std::optional<dns::Message> outcome(std::span<const std::byte> message, const std::optional<Endpoint>& asker) {
        DnsOutcome outcome = answer_dns(judge_, message);
        if (outcome.asked) record(*outcome.asked, asker ? callers_.caller(*asker) : std::nullopt);
        return std::move(outcome.answer);
    }

    void record(const DnsOutcome::Asked& asked, const std::optional<ProcessIdentity>& process) {
        const char* verdict = asked.verdict.allowed ? "allowed" : "denied";
        std::string key = "dns\n" + asked.name + '\n' + asked.type + '\n' + verdict + '\n' + asked.verdict.reason;
        if (process) key += '\n' + std::to_string(process->pid) + '\n' + process->exe;
        if (recorder_.repeat(key)) return;
        NewEvent event{.kind = "dns", .fields = Json::object(), .time_us = now_us()};
        event.fields["name"] = asked.name;
        event.fields["type"] = asked.type;
        event.fields["verdict"] = verdict;
        event.fields["rule"] = asked.verdict.rule;
        event.fields["reason"] = asked.verdict.reason;
        put_process(event.fields, process);
        recorder_.note_repeating(key, std::move(event));
    }

    asio::io_context& loop_;
    Judge& judge_;
    Recorder& recorder_;
    const DnsCallers& callers_;
    std::vector<std::shared_ptr<Socket>> descriptors_;
    std::vector<std::weak_ptr<Socket>> streams_;
    bool stopped_ = false;
};

// What is held outside: ends the answering when it goes, whatever the loop has still queued.
class HeldAnswerer final : public DnsAnswerer {
public:
    explicit HeldAnswerer(std::shared_ptr<SocketAnswerer> answerer) : answerer_(std::move(answerer)) {}
    ~HeldAnswerer() override { answerer_->stop(); }

private:
    std::shared_ptr<SocketAnswerer> answerer_;
};

} // namespace

std::unique_ptr<DnsAnswerer> DnsAnswerer::make(asio::io_context& loop, std::vector<Door::Socket> sockets, Judge& judge,
                                               Recorder& recorder, const DnsCallers& callers) {
    const auto answerer = std::make_shared<SocketAnswerer>(loop, judge, recorder, callers);
    for (Door::Socket& socket : sockets)
        answerer->add(std::move(socket));
    return std::make_unique<HeldAnswerer>(answerer);
}

} // namespace belljar
