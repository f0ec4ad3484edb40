// The sockets of the door, made inside the session's network namespace and served by the supervisor outside it.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"
#include "helper/link/link.h"

#include <cstdint>
#include <vector>

namespace belljar {

struct RoleSocket {
    link::Role role;
    std::uint16_t port; // host order; 0 where the role has none
    UniqueFd fd;        // non-blocking, close-on-exec
};

struct DoorSockets {
    std::uint16_t port = 0; // where the firewall rule sends TCP and UDP
    std::vector<RoleSocket> sockets;
};

// With CAP_NET_ADMIN and CAP_NET_BIND_SERVICE in the namespace. IPv6 sockets are left out where the kernel has no IPv6.
Result<DoorSockets> open_door_sockets(const std::vector<std::uint16_t>& host_services, std::uint32_t mark);

} // namespace belljar
