// Whether the door can take one more connection without a wait. All connections to its listeners are made by the
// supervisor on a caller's behalf; were their backlog full, such a connect would hang. Rests on tcp(7): TCP_INFO of a
// listening socket tells the length of its accept queue and its limit (inet_diag does the same).
#pragma once

#include "core/egress/decision.h"
#include "core/system/unique_fd.h"
#include "helper/link/link.h"

#include <cstdint>
#include <vector>

namespace belljar {

class DoorRoom {
public:
    // A duplicate of each TCP listener; made before the door takes the sockets over.
    void add(link::Role role, std::uint16_t port, UniqueFd listener);
    bool has_room(const Destination& destination) const;

private:
    struct Listener {
        link::Role role;
        std::uint16_t port;
        UniqueFd fd;
    };
    std::vector<Listener> listeners_;
};

} // namespace belljar
