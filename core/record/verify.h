// Says whether a record is whole, and where it is not. What an unanchored record can and cannot prove: docs/record.md.
#pragma once

#include "core/system/error.h"

#include <cstdint>
#include <string>

namespace belljar {

enum class RecordState { Sealed, Broken, Unsealed, Unreadable };

struct VerifyReport {
    RecordState state = RecordState::Unreadable;
    std::uint64_t events = 0;      // verified, from the first on
    std::uint64_t broken_at = 0;   // sequence number of the first fault; 0 when none or when it has no place in the chain
    std::string fault;             // "event 7: its hash does not match its bytes"; empty when whole
    std::string session_id, public_key, head_hash;
    int exit_status() const;       // 0 sealed and whole, 1 broken, 2 whole but unsealed, 3 not readable
};

// `expected_session` and `expected_key` (hex; either may be empty) come from the index or the folder's name: they find a record
// spliced from another session or re-signed with another key.
VerifyReport verify_record(const std::string& record_path, const std::string& expected_session = {},
                           const std::string& expected_key = {});

} // namespace belljar
