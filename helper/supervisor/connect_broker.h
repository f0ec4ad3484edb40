// Every connect() inside a session comes here before anything opens; which family goes where. Fail closed: what cannot
// be looked at is refused with EACCES and noted. Loop thread only.
#pragma once

#include "helper/supervisor/inet_connect.h"
#include "helper/supervisor/unix_connect.h"

namespace belljar {

class ConnectBroker {
public:
    ConnectBroker(BrokerParts parts, SessionSockets& sockets, UnixConnect::AskInit ask_init);
    void connect(const NotifiedCall& call);
    bool connect_done(std::uint32_t request, int errno_value) { return unix_.done(request, errno_value); }

private:
    void note_unseen(const NotifiedCall& call);

    BrokerParts parts_;
    InetConnect inet_;
    UnixConnect unix_;
};

} // namespace belljar
