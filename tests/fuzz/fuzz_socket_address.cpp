#include "core/egress/address_class.h"
#include "core/egress/ip_address.h"
#include "fuzz.h"

#include <algorithm>
#include <cstring>

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    sockaddr_storage address{};
    const std::size_t length = std::min(size, sizeof address);
    std::memcpy(&address, bytes, length);
    if (const auto endpoint =
            Endpoint::from(reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(length))) {
        sockaddr_storage back{};
        const socklen_t written = endpoint->to(back);
        const auto again = Endpoint::from(reinterpret_cast<const sockaddr*>(&back), written);
        fuzz::require(again && *again == *endpoint, "an endpoint survives the way there and back");
        const auto parsed = IpAddress::parse(endpoint->ip.text());
        fuzz::require(parsed && *parsed == endpoint->ip, "an address survives as text");
        describe(endpoint->ip, {endpoint->ip});
    }
    if (const auto ip = IpAddress::parse(fuzz::text_of(bytes, size)))
        fuzz::require(IpAddress::parse(ip->text()) == ip, "text is canonical");
    return 0;
}
