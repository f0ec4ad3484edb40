// The addresses of this host's own interfaces (getifaddrs(3)): a name that resolves to one of them is refused.
#pragma once

#include "core/egress/ip_address.h"

#include <chrono>
#include <vector>

namespace belljar {

class OwnAddresses {
public:
    OwnAddresses() { refresh(); }
    // As they are now, read again when older than a few seconds (a VPN may come and go). When they cannot be read, the
    // last ones.
    const std::vector<IpAddress>& current();

private:
    void refresh();
    std::vector<IpAddress> addresses_;
    std::chrono::steady_clock::time_point read_at_;
};

} // namespace belljar
