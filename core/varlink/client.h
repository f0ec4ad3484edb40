// A blocking Varlink client over a connected Unix stream socket (varlink.org: Method Call). One thread at a time.
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
    // Paths beyond the 107 bytes of unix(7) work too.
    static Result<Client> connect(const std::string& socket_path);
    // How long one read or write may take (then ETIMEDOUT); for ever until set. 0: for ever.
    Status set_timeout(std::chrono::milliseconds timeout);

    // One call, one reply. Descriptors ride on the call. A Varlink error becomes an Error whose `what` is its name, whose
    // `why` is parameters.reason if there is one, else the parameters, and whose `next` is parameters.next.
    Result<json> call(const std::string& method, json parameters = json::object(), std::span<const int> fds = {});
    // With `more`: each reply to `each` until one without `continues`, or until it returns false (then the connection is
    // no longer usable).
    Status stream(const std::string& method, json parameters, const std::function<bool(const json&)>& each);

    // A call with `upgrade`. After its reply the connection is no longer a Varlink one: what release() gives carries what
    // the method says.
    Result<json> upgrade(const std::string& method, json parameters);
    UniqueFd release() { return std::move(socket_); }

    // The halves of `call`, for callers with an event loop of their own: send now; later take what the socket has.
    Status send(const std::string& method, json parameters = json::object(), std::span<const int> fds = {}, bool more = false);
    Status send_oneway(const std::string& method, json parameters = json::object()); // no reply will come
    // A whole reply if there is one; never blocks. When the socket is readable call it until it gives nullopt: one read may
    // bring several. An Error when the peer closed or broke the protocol.
    Result<std::optional<Reply>> receive_some();
    int fd() const { return socket_.get(); }

private:
    Status send_call(const Call& call, std::span<const int> fds);
    Result<bool> read_once(int flags); // false: nothing there
    Result<Reply> receive();

    UniqueFd socket_;
    FrameSplitter frames_;
};

} // namespace belljar::varlink
