#include "helper/builder/network.h"

#include "core/system/files.h"
#include "helper/builder/netlink.h"

#include <arpa/inet.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr int kLoopback = 1; // the index of lo in every network namespace

void add_local_route(NetlinkBatch& batch, unsigned char family) {
    rtmsg route{};
    route.rtm_family = family;
    route.rtm_table = RT_TABLE_LOCAL;
    route.rtm_protocol = RTPROT_STATIC;
    route.rtm_scope = RT_SCOPE_HOST;
    route.rtm_type = RTN_LOCAL;
    batch.begin(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_ACK, route);
    batch.attribute_value(RTA_OIF, kLoopback);
}

} // namespace

Status bring_up_network() {
    const auto socket = open_netlink(NETLINK_ROUTE);
    if (!socket) return tl::unexpected(socket.error());
    NetlinkBatch batch;
    ifinfomsg link{};
    link.ifi_family = AF_UNSPEC;
    link.ifi_index = kLoopback;
    link.ifi_flags = IFF_UP;
    link.ifi_change = IFF_UP;
    batch.begin(RTM_NEWLINK, NLM_F_ACK, link);
    ifaddrmsg address{};
    address.ifa_family = AF_INET;
    address.ifa_prefixlen = 32;
    address.ifa_scope = RT_SCOPE_UNIVERSE;
    address.ifa_index = kLoopback;
    batch.begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK, address);
    in_addr own{};
    ::inet_pton(AF_INET, "198.18.0.1", &own);
    batch.attribute_value(IFA_LOCAL, own);
    batch.attribute_value(IFA_ADDRESS, own);
    add_local_route(batch, AF_INET);
    unsigned acknowledgements = 3;
    if (::access("/proc/sys/net/ipv6", F_OK) == 0) {
        add_local_route(batch, AF_INET6);
        ++acknowledgements;
    }
    return exchange(socket->get(), batch, acknowledgements, "bring up the session's network");
}

Status write_network_sysctls() {
    if (Status done = write_existing("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0"); !done) return done;
    return write_existing("/proc/sys/net/ipv4/tcp_fastopen", "0");
}

} // namespace belljar
