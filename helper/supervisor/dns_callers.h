// Remembers whose UDP or TCP socket a DNS query will come from: the broker makes the connect(), so it knows the
// process; the answerer sees only the source endpoint. The oldest are forgotten.
#pragma once

#include "helper/supervisor/door.h"

#include <deque>
#include <map>

namespace belljar {

class RecentDnsCallers final : public DnsCallers {
public:
    static constexpr std::size_t kMost = 1024;

    void remember(const Endpoint& source, ProcessIdentity process);
    std::optional<ProcessIdentity> caller(const Endpoint& source) const override;

private:
    struct Caller {
        ProcessIdentity process;
        std::uint64_t turn = 0;
    };
    std::map<Endpoint, Caller> callers_;
    std::deque<std::pair<std::uint64_t, Endpoint>> order_; // oldest first; an outdated turn is skipped
    std::uint64_t turn_ = 0;
};

} // namespace belljar
