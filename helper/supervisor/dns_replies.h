// What is answered to a DNS message, and what is noted of it (DESIGN: Names before addresses). Nothing is asked
// upstream here.
//   an allowed name    A: its stand-in address; any other type: no data
//   any other name     NXDOMAIN
//   localhost          127.0.0.1 and ::1 (RFC 6761 §6.3); pointers of loopback and of stand-in addresses: their names
#pragma once

#include "core/egress/dns_message.h"
#include "helper/supervisor/judge.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace belljar {

// A minute: a program that honours it asks again while it still uses the name, so the record shows that; a stand-in
// never changes, so nothing breaks when one does not.
inline constexpr std::uint32_t kStandInTtl = 60;
// Short, so that a name that is denied now is asked for again once a person has allowed it.
inline constexpr std::uint32_t kNegativeTtl = 5;

struct DnsOutcome {
    std::optional<dns::Message> answer; // nullopt: none is sent
    struct Asked {
        std::string name, type;
        Verdict verdict;
    };
    std::optional<Asked> asked; // nullopt: not worth an event (localhost)
};

DnsOutcome answer_dns(Judge& judge, std::span<const std::byte> message);

} // namespace belljar
