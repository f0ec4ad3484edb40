#include "helper/supervisor/door_room.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

namespace belljar {

void DoorRoom::add(link::Role role, std::uint16_t port, UniqueFd listener) {
    listeners_.push_back({role, port, std::move(listener)});
}

bool DoorRoom::has_room(const Destination& destination) const {
    using link::Role;
    const bool v6 = destination.ip.v6;
    const Role wanted = destination.host_service ? (v6 ? Role::HostService6 : Role::HostService4)
                                                 : (v6 ? Role::DoorTcp6 : Role::DoorTcp4);
    for (const Listener& listener : listeners_) {
        if (listener.role != wanted || (destination.host_service && listener.port != destination.port)) continue;
        tcp_info state{};
        socklen_t length = sizeof state;
        if (::getsockopt(listener.fd.get(), IPPROTO_TCP, TCP_INFO, &state, &length) != 0) return false;
        return state.tcpi_unacked < state.tcpi_sacked / 2 + 1; // length of the accept queue, and its limit
    }
    return false;
}

} // namespace belljar
