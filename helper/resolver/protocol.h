// The resolver's little protocol, over a SOCK_SEQPACKET pair; one JSON object a message.
//   supervisor → resolver  {"request": 7, "name": "example.net"}
//   resolver → supervisor  {"request": 7, "addresses": ["192.0.2.1", …]}   or   {"request": 7, "error": "Name or
//   service not known", "code": -2}
// The other end of the pair belongs to a stub (helper/resolver/stub.h) that was forked before the supervisor was
// confined; at the first message it execs belljar-resolver, which works with the user's authority and all of nsswitch.
// End-of-file: the session is over; the stub (or the resolver) removes the session's runtime folder and ends.
#pragma once

#include <cstddef>

namespace belljar {
inline constexpr std::size_t kMaxResolverMessage = 16384;
inline constexpr int kResolverSocket = 3; // its descriptor after exec; argv[1] is the session's runtime folder
inline constexpr unsigned kMaxResolverThreads = 16; // beyond them requests wait
} // namespace belljar
