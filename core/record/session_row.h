// A session as lists show it: what its record says, and its lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace belljar {

struct SessionTotals {
    std::uint64_t allowed = 0, denied = 0, calls_denied = 0, bytes_sent = 0, bytes_received = 0;
};

// Running and Lost are found at reading time: the record's folder has `lock`, held by the supervisor (flock(2)).
enum class SessionState { Starting, Running, Ended, Lost };

struct SessionRow {
    std::string id, name, command, workspace, policy, public_key;
    std::int64_t started_us = 0, ended_us = 0; // since the epoch; ended 0 while unknown
    SessionState state = SessionState::Starting;
    std::optional<int> status; // exit status as `run` gives it
    std::string reason;        // why it ended
    SessionTotals totals;      // zero while it runs: its supervisor knows them (Describe)
    bool sealed = false;
};

} // namespace belljar
