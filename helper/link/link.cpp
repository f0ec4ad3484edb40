#include "helper/link/link.h"

#include <cstring>

namespace belljar::link {
namespace {

struct Header {
    std::uint32_t type, request;
    std::int32_t value;
    std::uint32_t length;
};

} // namespace

Status send(int socket, Type type, std::uint32_t request, std::int32_t value, std::string_view text, std::span<const int> fds) {
    if (text.size() > kMaxText) text = text.substr(0, kMaxText);
    std::byte packet[sizeof(Header) + kMaxText];
    const Header header{static_cast<std::uint32_t>(type), request, value, static_cast<std::uint32_t>(text.size())};
    std::memcpy(packet, &header, sizeof header);
    std::memcpy(packet + sizeof header, text.data(), text.size());
    return send_with_fds(socket, std::span(packet, sizeof header + text.size()), fds);
}

Result<std::optional<Message>> receive(int socket) {
    std::byte packet[sizeof(Header) + kMaxText];
    auto received = receive_with_fds(socket, packet);
    if (!received) return tl::unexpected(received.error());
    if (received->bytes == 0) return std::optional<Message>();
    Header header{};
    if (received->bytes < sizeof header) return failure("link", "short message");
    std::memcpy(&header, packet, sizeof header);
    if (header.type < 1 || header.type > static_cast<std::uint32_t>(Type::PairMade)) return failure("link", "unknown message");
    if (header.length != received->bytes - sizeof header) return failure("link", "wrong length");
    Message message;
    message.type = static_cast<Type>(header.type);
    message.request = header.request;
    message.value = header.value;
    message.text.assign(reinterpret_cast<const char*>(packet + sizeof header), header.length);
    message.fds = std::move(received->fds);
    return std::optional<Message>(std::move(message));
}

} // namespace belljar::link
