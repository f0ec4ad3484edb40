#include "helper/supervisor/own_addresses.h"

#include <ifaddrs.h>
#include <memory>

namespace belljar {
namespace {
constexpr std::chrono::seconds kFresh{5};
}

const std::vector<IpAddress>& OwnAddresses::current() {
    if (std::chrono::steady_clock::now() - read_at_ > kFresh) refresh();
    return addresses_;
}

void OwnAddresses::refresh() {
    read_at_ = std::chrono::steady_clock::now();
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(list, &::freeifaddrs);
    addresses_.clear();
    for (const ifaddrs* each = list; each; each = each->ifa_next) {
        if (!each->ifa_addr) continue;
        const socklen_t length = each->ifa_addr->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
        if (const auto endpoint = Endpoint::from(each->ifa_addr, length)) addresses_.push_back(endpoint->ip);
    }
}

} // namespace belljar
