#include "helper/builder/netlink.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <linux/netlink.h>
#include <string>
#include <sys/socket.h>

namespace belljar {

void NetlinkBatch::append(std::span<const std::byte> value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
    close_message();
}

// Keeps the open message's length true; cheap enough to do at each step, and so no message is ever left with a wrong one.
void NetlinkBatch::close_message() {
    const auto length = static_cast<std::uint32_t>(bytes_.size() - message_);
    std::memcpy(bytes_.data() + message_ + offsetof(nlmsghdr, nlmsg_len), &length, sizeof length);
}

void NetlinkBatch::begin_bytes(std::uint16_t type, std::uint16_t flags, std::span<const std::byte> header) {
    message_ = bytes_.size();
    nlmsghdr head{};
    head.nlmsg_type = type;
    head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    head.nlmsg_seq = ++sequence_;
    const auto raw = std::as_bytes(std::span(&head, 1));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    append(header);
}

void NetlinkBatch::attribute(std::uint16_t type, std::span<const std::byte> value) {
    nlattr head{};
    head.nla_type = type;
    head.nla_len = static_cast<std::uint16_t>(NLA_HDRLEN + value.size());
    const auto raw = std::as_bytes(std::span(&head, 1));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    append(value);
}

void NetlinkBatch::attribute(std::uint16_t type, std::string_view text) {
    const std::string with_nul(text);
    attribute(type, std::as_bytes(std::span(with_nul.c_str(), with_nul.size() + 1)));
}

void NetlinkBatch::attribute_be32(std::uint16_t type, std::uint32_t value) { attribute_value(type, htonl(value)); }

NetlinkBatch::Nest::Nest(NetlinkBatch& batch, std::uint16_t type) : batch_(batch), at_(batch.bytes_.size()) {
    batch_.attribute(static_cast<std::uint16_t>(type | NLA_F_NESTED), std::span<const std::byte>());
}

NetlinkBatch::Nest::~Nest() {
    const auto length = static_cast<std::uint16_t>(batch_.bytes_.size() - at_);
    std::memcpy(batch_.bytes_.data() + at_ + offsetof(nlattr, nla_len), &length, sizeof length);
}

Result<UniqueFd> open_netlink(int protocol) {
    UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
    if (!socket) return system_failure("open a netlink socket");
    return socket;
}

Status exchange(int socket, const NetlinkBatch& batch, unsigned acknowledgements, std::string_view what) {
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    const auto bytes = batch.bytes();
    if (::sendto(socket, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel) < 0)
        return system_failure(std::string(what));
    while (acknowledgements > 0) {
        alignas(nlmsghdr) char reply[8192];
        const ssize_t n = ::recv(socket, reply, sizeof reply, 0);
        if (n < 0) {
            if (errno == EINTR) continue;
            return system_failure(std::string(what));
        }
        auto left = static_cast<unsigned>(n);
        for (auto* head = reinterpret_cast<nlmsghdr*>(reply); NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
            if (head->nlmsg_type != NLMSG_ERROR) continue;
            const auto* error = static_cast<const nlmsgerr*>(NLMSG_DATA(head));
            if (error->error != 0) return system_failure(std::string(what), -error->error);
            if (acknowledgements > 0) --acknowledgements;
        }
    }
    return {};
}

} // namespace belljar
