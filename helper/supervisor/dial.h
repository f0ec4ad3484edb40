// Connects to one of several addresses: happy eyeballs (RFC 8305). The families take turns, the next address is tried
// 250 ms after the last one or as soon as that has failed, and the first connection that stands wins. Loop thread only.
#pragma once

#include "core/egress/ip_address.h"
#include "core/system/unique_fd.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <vector>

namespace belljar {

inline constexpr std::chrono::milliseconds kDialDelay{250};
inline constexpr std::chrono::seconds kDialPatience{60};

using Dialed = std::function<void(int errno_value, UniqueFd socket, IpAddress reached)>;

// `done` is called once, from the loop: with a non-blocking, connected socket, or the errno of the last try (ETIMEDOUT
// when `patience` is over, EHOSTUNREACH when there is no address). The attempt keeps itself alive until then.
void dial_any(boost::asio::io_context& loop, const std::vector<IpAddress>& addresses, std::uint16_t port, Dialed done,
              std::chrono::milliseconds patience = kDialPatience);

// The order to try: as given, but the families take turns, the first one's first.
std::vector<IpAddress> interleaved(const std::vector<IpAddress>& addresses);

} // namespace belljar
