// The index of all sessions (state/index.db): for lists, names and search. Rebuildable from the records at any time.
// Several processes may use it at once; each call is a transaction. A corrupt index is set aside and rebuilt, and said.
#pragma once

#include "core/record/session_row.h"
#include "core/session/paths.h"
#include "core/system/error.h"

#include <memory>
#include <string>
#include <vector>

namespace belljar {

class SessionIndex {
public:
    static Result<SessionIndex> open(const Paths& paths);
    // What a launch does: leaves what is known at the start (id, name, command, workspace, policy, public_key,
    // started_us) to be taken in by the next who opens (announcement.h).
    static Status announce(const Paths& paths, const SessionRow& row);
    SessionIndex(SessionIndex&&) noexcept;
    SessionIndex& operator=(SessionIndex&&) noexcept;
    ~SessionIndex();

    // All sessions, newest first; reads what the records say for those that the index does not know yet or last saw
    // running.
    Result<std::vector<SessionRow>> list();
    // By full id, unique id prefix (≥ 1 digit), or name (the newest of that name that runs, else the newest). An
    // ambiguous prefix is an Error that lists the candidates.
    Result<SessionRow> find(const std::string& id_or_name);
    Status rename(const std::string& id, const std::string& name);
    Status forget(const std::string& id);
    // From the records; names that were given by rename() are kept: they also stand in the sessions' folders (`name`).
    Status rebuild();
    // What had to be repaired since open(), as a sentence for people; empty when nothing was.
    std::string notice() const;

private:
    struct Impl;
    explicit SessionIndex(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace belljar
