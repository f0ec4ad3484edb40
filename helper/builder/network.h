// The session's network: `lo` and nothing else. Every address is made local, so that whatever a program names arrives at the
// door (DESIGN: The door); 198.18.0.1 makes AI_ADDRCONFIG see an IPv4 address.
#pragma once

#include "core/system/error.h"

namespace belljar {

// Called in the session's network namespace, with CAP_NET_ADMIN there: lo up, the address, the local routes.
Status bring_up_network();
// Once the session's own /proc is mounted and before its sys is made read-only: ports below 1024 are the session's to use;
// TCP fast open is off, so that no data and no connection can go before its connect() was judged.
Status write_network_sysctls();

} // namespace belljar
