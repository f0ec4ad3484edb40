// Where all events of a session go through: numbers connections, folds bursts of identical denials (the first at once,
// its repeats as further events with a count at least each second), batches what is noted within one turn of the loop
// into one transaction, counts the totals, and tells the watchers. Loop thread only.
#pragma once

#include "core/record/session_row.h"
#include "core/record/writer.h"
#include "helper/supervisor/process_identity.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace belljar {

class Recorder {
public:
    virtual ~Recorder() = default;
    virtual std::uint64_t next_connection() = 0;
    // Committed when it returns; an Error means: it is not in the record, refuse what it was about.
    virtual Status commit(NewEvent event) = 0;
    // Committed at the end of this turn of the loop.
    virtual void note(NewEvent event) = 0;
    // A denial that may repeat: `key` says what is identical. Adds `count`.
    virtual void note_repeating(const std::string& key, NewEvent event) = 0;
    // The cheap half of note_repeating: counts one more of what `key` has noted within the last second. False: it is
    // not known (any more), and the caller makes the event and calls note_repeating.
    virtual bool repeat(const std::string& key) {
        static_cast<void>(key);
        return false;
    }
    virtual const SessionTotals& totals() const = 0;
};

// Puts pid, exe, argv into an event's fields, where the process is known.
void put_process(Json& fields, const std::optional<ProcessIdentity>& process);

} // namespace belljar
