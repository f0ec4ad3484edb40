// The blocking client: frames in, frames out. Its socket blocks, except in receive_some, which never does.
#include "core/varlink/client.h"

#include "core/system/descriptor_passing.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace belljar::varlink {
namespace {

std::string text_of(const json& parameters, const char* member) {
    const auto found = parameters.find(member);
    return found != parameters.end() && found->is_string() ? found->get<std::string>() : std::string();
}

tl::unexpected<Error> as_error(const Reply& reply) {
    std::string reason = text_of(reply.parameters, "reason");
    if (reason.empty()) reason = reply.parameters.dump(-1, ' ', false, json::error_handler_t::replace);
    return failure(reply.error, std::move(reason), text_of(reply.parameters, "next"));
}

Result<UniqueFd> connect_to(const sockaddr_un& address, const std::string& name) {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return system_failure("socket");
    while (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        if (errno != EINTR) return system_failure("connect to " + name);
    return socket;
}

} // namespace

Result<Client> Client::connect(const std::string& socket_path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    UniqueFd folder; // must live until the connect: the address may name it
    std::string path = socket_path;
    if (path.size() >= sizeof address.sun_path) {
        // unix(7): sun_path holds 108 bytes. A longer path is reached through a descriptor of its folder.
        const std::size_t slash = path.rfind('/');
        const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        folder.reset(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!folder) return system_failure("open " + parent);
        path = fmt::format("/proc/self/fd/{}/{}", folder.get(), path.substr(slash + 1));
    }
    if (path.empty() || path.size() >= sizeof address.sun_path)
        return system_failure("connect to " + socket_path, ENAMETOOLONG);
    std::memcpy(address.sun_path, path.data(), path.size());
    auto socket = connect_to(address, socket_path);
    if (!socket) return tl::unexpected(socket.error());
    return Client(std::move(*socket));
}

Status Client::set_timeout(std::chrono::milliseconds timeout) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
    const timeval value{seconds.count(), std::chrono::microseconds(timeout - seconds).count()};
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
        if (::setsockopt(socket_.get(), SOL_SOCKET, option, &value, sizeof value) != 0)
            return system_failure("set a socket's timeout");
    return {};
}

Status Client::send(const std::string& method, json parameters, std::span<const int> fds, bool more) {
    Call call;
    call.method = method;
    call.parameters = std::move(parameters);
    call.more = more;
    return send_call(call, fds);
}

Status Client::send_oneway(const std::string& method, json parameters) {
    Call call;
    call.method = method;
    call.parameters = std::move(parameters);
    call.oneway = true;
    return send_call(call, {});
}

Status Client::send_call(const Call& call, std::span<const int> fds) {
    const std::string bytes = encode(call);
    if (bytes.size() > kMaxMessageBytes) return failure("call " + call.method, "the parameters are too large");
    return send_with_fds(socket_.get(), std::as_bytes(std::span(bytes)), fds);
}

Result<bool> Client::read_once(int flags) {
    char buffer[64 << 10];
    ssize_t n = 0;
    // Descriptors that a peer sends unasked are closed by the kernel: recv(2) gives no room for them.
    do
        n = ::recv(socket_.get(), buffer, sizeof buffer, flags);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) return false;
    if (n < 0) return system_failure("receive a Varlink reply");
    if (n == 0) return failure("Varlink", "the other side closed the connection");
    if (Status fed = frames_.feed(std::span(buffer, static_cast<std::size_t>(n))); !fed)
        return tl::unexpected(fed.error());
    return true;
}

Result<std::optional<Reply>> Client::receive_some() {
    auto frame = frames_.next();
    if (!frame) {
        const auto read = read_once(MSG_DONTWAIT);
        if (!read) return tl::unexpected(read.error());
        frame = frames_.next();
    }
    if (!frame) return std::optional<Reply>();
    auto reply = parse_reply(*frame);
    if (!reply) return tl::unexpected(reply.error());
    return std::optional(std::move(*reply));
}

Result<Reply> Client::receive() {
    for (;;) {
        if (const auto frame = frames_.next()) return parse_reply(*frame);
        const auto read = read_once(0);
        if (!read) return tl::unexpected(read.error());
        if (!*read) return system_failure("receive a Varlink reply", ETIMEDOUT);
    }
}

Result<json> Client::call(const std::string& method, json parameters, std::span<const int> fds) {
    if (Status sent = send(method, std::move(parameters), fds); !sent) return tl::unexpected(sent.error());
    auto reply = receive();
    if (!reply) return tl::unexpected(reply.error());
    if (!reply->error.empty()) return as_error(*reply);
    if (reply->continues) return failure(method, "answered more than was asked for");
    return std::move(reply->parameters);
}

Result<json> Client::upgrade(const std::string& method, json parameters) {
    Call call;
    call.method = method;
    call.parameters = std::move(parameters);
    call.upgrade = true;
    if (Status sent = send_call(call, {}); !sent) return tl::unexpected(sent.error());
    // Byte by byte: what comes behind the reply is not ours to take.
    std::string message;
    for (char byte = 0;;) {
        const ssize_t n = ::recv(socket_.get(), &byte, 1, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_failure("receive a Varlink reply", errno == EAGAIN ? ETIMEDOUT : errno);
        if (n == 0) return failure("Varlink", "the other side closed the connection");
        if (byte == '\0') break;
        if (message.size() >= kMaxMessageBytes) return failure("Varlink", "the reply has no end");
        message += byte;
    }
    auto reply = parse_reply(message);
    if (!reply) return tl::unexpected(reply.error());
    if (!reply->error.empty()) return as_error(*reply);
    return std::move(reply->parameters);
}

Status Client::stream(const std::string& method, json parameters, const std::function<bool(const json&)>& each) {
    if (Status sent = send(method, std::move(parameters), {}, true); !sent) return sent;
    for (;;) {
        const auto reply = receive();
        if (!reply) return tl::unexpected(reply.error());
        if (!reply->error.empty()) return as_error(*reply);
        if (!each(reply->parameters) || !reply->continues) return {};
    }
}

} // namespace belljar::varlink
