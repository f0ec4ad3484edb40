#include "helper/supervisor/connect_broker.h"

#include "helper/supervisor/event_fields.h"

#include <cerrno>

namespace belljar {

ConnectBroker::ConnectBroker(BrokerParts parts, SessionSockets& sockets, UnixConnect::AskInit ask_init)
    : parts_(parts), inet_(parts, sockets.network()), unix_(parts, sockets, std::move(ask_init)) {}

void ConnectBroker::connect(const NotifiedCall& call) {
    auto caller = take_caller_socket(call, parts_.processes, parts_.notifications);
    if (!caller) {
        if (caller.error().ours) note_unseen(call);
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

// An execute-only program of another owner's, or a rule of the host's (Yama): it connects to nothing, and that counts.
void ConnectBroker::note_unseen(const NotifiedCall& call) {
    const auto* known = parts_.processes.identify(call.tid);
    const std::string key = "unseen\n" + std::to_string(known ? known->mark : 0);
    if (parts_.recorder.repeat(key)) return;
    const std::optional<ProcessIdentity> process = known ? std::optional(known->identity) : std::nullopt;
    parts_.recorder.note_repeating(
        key, unseen_egress(process, "this program's memory cannot be read, so where it leads is not known"));
}

} // namespace belljar
