// The firewall rule that is the door: one nftables table in the session's network namespace (nft(8): tproxy).
//
//   table inet belljar { chain door { type filter hook prerouting priority mangle; policy accept;
//     meta mark 0xbe11 accept                      the answers of our own DNS sockets
//     ip daddr 127.0.0.0/8 accept                  the session's own servers
//     ip6 daddr ::1 accept
//     th dport 53 accept  (tcp, udp)               every address is local: our sockets on :53 get it
//     meta l4proto tcp tproxy to :PORT
//     meta l4proto udp tproxy to :PORT             } }
#pragma once

#include "core/system/error.h"
#include "helper/builder/netlink.h"

#include <cstdint>

namespace belljar {

// The request as one nfnetlink batch. `port` in host order: the door's TCP and UDP sockets, IPv4 and IPv6, are all on it.
NetlinkBatch door_rules(std::uint16_t port, std::uint32_t mark);
Status install_door_rules(std::uint16_t port, std::uint32_t mark);

} // namespace belljar
