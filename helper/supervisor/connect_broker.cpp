#include "helper/supervisor/connect_broker.h"

#include <cerrno>

namespace belljar {

ConnectBroker::ConnectBroker(BrokerParts parts, SessionSockets& sockets, UnixConnect::AskInit ask_init)
    : parts_(parts), inet_(parts), unix_(parts, sockets, std::move(ask_init)) {}

void ConnectBroker::connect(const NotifiedCall& call) {
    auto caller = take_caller_socket(call, parts_.processes, parts_.notifications);
    if (!caller) {
        if (caller.error().ours)
            parts_.denied_calls.note(call, caller.error().errno_value, "its address or socket could not be read");
        parts_.notifications.answer(call.id, caller.error().errno_value);
        return;
    }
    switch (caller->domain) {
    case AF_INET:
    case AF_INET6:
        return inet_.connect(call, std::move(*caller));
    case AF_UNIX:
        return unix_.connect(call, std::move(*caller));
    // Route and address queries of the session's own network namespace; names a peer, never blocks.
    case AF_NETLINK:
        parts_.notifications.answer(call.id, connect_on_behalf(*caller));
        return;
    }
    parts_.denied_calls.note(call, EACCES, "a socket family that does not leave");
    parts_.notifications.answer(call.id, EACCES);
}

} // namespace belljar
