// A blocking Varlink client over a connected Unix stream socket.
#pragma once

#include "core/system/unique_fd.h"
#include "core/varlink/message.h"

#include <chrono>
#include <functional>
#include <span>

namespace belljar::varlink {

class Client {
public:
    explicit Client(UniqueFd socket) : socket_(std::move(socket)) {}
    static Result<Client> connect(const std::string& socket_path);

    // One call, one reply. Descriptors ride on the call. A Varlink error becomes an Error whose `what` is its name and
    // whose `why` is parameters.reason if there is one, else the parameters.
    Result<json> call(const std::string& method, json parameters = json::object(), std::span<const int> fds = {});
    // With `more`: each reply to `each` until one without `continues`, or until it returns false (then the connection is
    // no longer usable).
    Status stream(const std::string& method, json parameters, const std::function<bool(const json&)>& each);

    // The halves of `call`, for callers with an event loop of their own: send now; later take what the socket has.
    Status send(const std::string& method, json parameters = json::object(), std::span<const int> fds = {}, bool more = false);
    // Reads once (call when readable); a whole reply if there is one. An Error when the peer closed or broke the protocol.
    Result<std::optional<Reply>> receive_some();
    int fd() const { return socket_.get(); }

private:
    UniqueFd socket_;
    FrameSplitter frames_;
};

} // namespace belljar::varlink
