// The fields of egress events, so that every place that decides writes them alike.
#pragma once

#include "core/egress/decision.h"
#include "core/record/event_bytes.h"
#include "helper/supervisor/outside.h"
#include "helper/supervisor/recorder.h"

#include <cstdint>
#include <optional>
#include <string>

namespace belljar {

// `egress`, denied: by rule or for `reason`.
NewEvent denied_egress(const Destination& destination, const Verdict& verdict,
                       const std::optional<ProcessIdentity>& process);
// `egress`, denied before it could be seen where it leads: the caller's memory or descriptors cannot be had.
NewEvent unseen_egress(const std::optional<ProcessIdentity>& process, const std::string& reason);
// `egress`, allowed: `ip` is the address that will be tried first; `proxy` whose address that is, where it is a proxy's.
NewEvent allowed_egress(std::uint64_t conn, const Destination& destination, const Resolution& way, const Verdict& verdict,
                        const std::optional<ProcessIdentity>& process);
// `egress-closed` of a connection that never carried a byte.
NewEvent closed_egress(std::uint64_t conn, std::int64_t since_us, const std::string& reason);
// What makes denials of egress identical: who, where, why.
std::string denial_key(const Destination& destination, const Verdict& verdict,
                       const std::optional<ProcessIdentity>& process);

} // namespace belljar
