// Reads a record, also while its session runs (SQLite WAL readers do not hold up the writer).
#pragma once

#include "core/record/writer.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace belljar {

struct StoredEvent {
    std::uint64_t seq = 0;
    std::string bytes;   // the JSON object exactly as stored and hashed; includes seq, time, kind
    Json parsed() const; // bytes that are no JSON object: {"seq":…,"time":"","kind":"damaged"}
};

class RecordReader {
public:
    // A missing, foreign, damaged or newer-format file is an Error that says which.
    static Result<std::unique_ptr<RecordReader>> open(const std::string& record_path);
    virtual ~RecordReader() = default;
    virtual std::string session_id() const = 0;
    virtual std::uint64_t last_sequence() const = 0;
    // Events with seq > after, in order; `each` returns false to stop. Memory use does not grow with the record.
    virtual Status for_each(std::uint64_t after, const std::function<bool(const StoredEvent&)>& each) const = 0;
    virtual std::optional<Seal> seal() const = 0;
};

} // namespace belljar
