// A record in memory, which can be told to fail: for tests of what happens around the record.
#pragma once

#include "core/record/writer.h"

namespace belljar {

struct MemoryRecord {
    std::vector<NewEvent> events;
    std::vector<std::size_t> batches; // how many events each transaction had
    bool failing = false;
    bool sealed = false;

    std::uint64_t counted(const std::string& kind) const {
        std::uint64_t sum = 0;
        for (const NewEvent& event : events)
            if (event.kind == kind) sum += event.fields.value("count", std::uint64_t{1});
        return sum;
    }
    std::vector<NewEvent> of(const std::string& kind) const {
        std::vector<NewEvent> found;
        for (const NewEvent& event : events)
            if (event.kind == kind) found.push_back(event);
        return found;
    }
};

class MemoryWriter final : public RecordWriter {
public:
    explicit MemoryWriter(MemoryRecord& record) : record_(record) {}
    using RecordWriter::append;
    Status begin(NewEvent started) override {
        record_.events.push_back(std::move(started));
        return {};
    }
    Result<std::uint64_t> append(std::span<const NewEvent> events) override {
        if (record_.failing) return failure("append to the record", "No space left on device");
        record_.events.insert(record_.events.end(), events.begin(), events.end());
        record_.batches.push_back(events.size());
        return record_.events.size();
    }
    Result<Seal> seal(NewEvent ended) override {
        if (record_.failing) return failure("seal the record", "No space left on device");
        record_.events.push_back(std::move(ended));
        record_.sealed = true;
        return Seal{record_.events.size(), {}, {}};
    }
    void finish() override {}
    std::string public_key() const override { return {}; }
    std::uint64_t last_sequence() const override { return record_.events.size(); }

private:
    MemoryRecord& record_;
};

} // namespace belljar
