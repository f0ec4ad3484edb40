#include "core/egress/connect_reply.h"

#include <algorithm>
#include <string_view>

namespace belljar {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "HTTP/1.1 200 Connection established"; some send no reason and no space before it.
bool read_status_line(std::string_view line, ConnectReply& reply) {
    constexpr std::string_view version = "HTTP/1.";
    if (line.size() < 12 || !line.starts_with(version) || !is_digit(line[7]) || line[8] != ' ') return false;
    if (!is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11])) return false;
    if (line.size() > 12 && line[12] != ' ') return false;
    reply.status = static_cast<unsigned>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
    reply.reason = line.substr(std::min<std::size_t>(13, line.size()));
    return reply.status >= 100 && reply.status < 600;
}

} // namespace

ConnectReplyState read_connect_reply(std::span<const std::byte> bytes, ConnectReply& reply) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t start = 0;;) {
        const std::string_view head = all.substr(start);
        constexpr std::string_view begins = "HTTP/1.";
        if (head.substr(0, begins.size()) != begins.substr(0, head.size())) return ConnectReplyState::Refused;
        const std::size_t end = head.find("\r\n\r\n");
        if (end == head.npos)
            return all.size() >= kMaxConnectReply ? ConnectReplyState::Refused : ConnectReplyState::More;
        reply = ConnectReply{};
        if (!read_status_line(head.substr(0, head.find("\r\n")), reply)) return ConnectReplyState::Refused;
        reply.length = start += end + 4;
        if (start > kMaxConnectReply) return ConnectReplyState::Refused;
        if (reply.status >= 200) return ConnectReplyState::Complete;
    }
}

} // namespace belljar
