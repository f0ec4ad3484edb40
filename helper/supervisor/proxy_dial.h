// Connects through the host's HTTP proxy: to one of its addresses (dial.h), then CONNECT (RFC 9110 §9.3.6). Loop thread only.
#pragma once

#include "core/session/spec.h"
#include "helper/supervisor/outside.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace belljar {

inline constexpr std::chrono::seconds kProxyPatience{60}; // for the proxy's own connection to where it is asked for

// `done` is called once, from the loop. What the other side sends first (an SSH banner, say) is left in the socket. A proxy
// that refuses is ECONNREFUSED, one that cannot reach the destination EHOSTUNREACH or ETIMEDOUT, and `reason` has its words.
void dial_by_proxy(boost::asio::io_context& loop, const std::vector<IpAddress>& addresses, const ProxySpec& proxy,
                   const std::string& authority, std::function<void(Reached)> done,
                   std::chrono::milliseconds patience = kProxyPatience);

} // namespace belljar
