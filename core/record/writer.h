// Writes one session's record: SQLite in WAL mode, hash-chained, sealed at the end (DESIGN: Record; docs/record.md has the format).
// A committed event survives kill -9 of any process (it is in the page cache; a power cut may lose the last moments).
// One writer per record; not thread-safe: the caller serialises.
#pragma once

#include "core/system/error.h"

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace belljar {

using Json = nlohmann::ordered_json;

// One event before it has a place in the chain: `kind` and its fields (an object without seq, time, kind). `time_us` is
// microseconds since the epoch (UTC); 0 means now. Strings must be UTF-8 (bytes_to_text).
struct NewEvent {
    std::string kind;
    Json fields = Json::object();
    std::int64_t time_us = 0;
};

struct Seal {
    std::uint64_t count = 0;      // events, the sealing one included
    std::string hash;             // hex SHA-256 of the last event
    std::string signature;        // hex Ed25519
};

class RecordWriter {
public:
    // Creates FOLDER/record.db (it must not exist), makes the session's key, and appends event 1 (`session-started`) with
    // `started` as its fields plus `public_key`. The private half lives only in this object's locked memory.
    static Result<std::unique_ptr<RecordWriter>> create(const std::string& folder, const std::string& session_id, NewEvent started);
    // The same in two steps, for who has time before `started` is known: all but event 1, and then that. One that never
    // begins takes its files away with it.
    static Result<std::unique_ptr<RecordWriter>> prepare(const std::string& folder, const std::string& session_id);
    virtual Status begin(NewEvent started) = 0;
    virtual ~RecordWriter() = default;

    // Appends in one transaction and commits. Returns the sequence number of the last one. On failure (disk full) nothing
    // of the batch is there, and the caller must refuse whatever it wanted to record.
    virtual Result<std::uint64_t> append(std::span<const NewEvent> events) = 0;
    Result<std::uint64_t> append(NewEvent event) { return append(std::span<const NewEvent>(&event, 1)); }
    // Appends `session-ended`, signs the chain's head, stores the seal and wipes the private key. Nothing can be appended after.
    virtual Result<Seal> seal(NewEvent ended) = 0;
    // Folds the WAL into the file and closes. Slow (it may sync): call it when nobody waits any more. Safe to leave out.
    virtual void finish() = 0;
    virtual std::string public_key() const = 0; // hex
    virtual std::uint64_t last_sequence() const = 0;
};

} // namespace belljar
