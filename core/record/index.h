// The index of all sessions (state/index.db): for lists, names and search. Rebuildable from the records at any time.
// Several processes may use it at once; each call is a transaction. A corrupt index is set aside and rebuilt, and said.
#pragma once

#include "core/session/paths.h"
#include "core/system/error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

class SessionIndex {
public:
    static Result<SessionIndex> open(const Paths& paths);
    SessionIndex(SessionIndex&&) noexcept;
    SessionIndex& operator=(SessionIndex&&) noexcept;
    ~SessionIndex();

    // Inserts or replaces what is known at the start (id, name, command, workspace, policy, public_key, started_us).
    Status put(const SessionRow& row);
    // All sessions, newest first; reads what the records say for those that the index does not know yet or last saw
    // running.
    Result<std::vector<SessionRow>> list();
    // By full id, unique id prefix (≥ 1 digit), or name (the newest of that name that runs, else the newest). An
    // ambiguous prefix is an Error that lists the candidates.
    Result<SessionRow> find(const std::string& id_or_name);
    Status rename(const std::string& id, const std::string& name);
    Status forget(const std::string& id);
    // Takes in what launches have announced (announcement.h); list() and find() do so first.
    Status take_in();
    // From the records; names that were given by rename() are kept where the old index can still be read.
    Status rebuild();
    // What had to be repaired since open(), as a sentence for people; empty when nothing was.
    std::string notice() const;

private:
    struct Impl;
    explicit SessionIndex(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Whether somebody holds the session's lock. Takes a shared lock for a moment to find out, so whoever takes the exclusive
// one must wait for it (flock(2) without LOCK_NB) or try again.
bool session_is_alive(const Paths& paths, const std::string& id);

} // namespace belljar
