// The recorder of a running session (recorder.h states what callers may rely on). How a burst is folded:
//   1. the first of what `key` calls identical is written at once, with count 1; its repeats are counted, and written
//   as a
//      further event at least each second and at the end;
//   2. beyond `distinct_per_second` new keys a second, denials are folded by process and call, without what tells them
//   apart;
//   3. beyond as many of those again, by call alone. Each denial is counted in exactly one event: their counts add up.
// When the record cannot be written, what was noted waits (at most `waiting`; beyond it only its number is kept, and
// written as a `record-gap` event once writing works again), every commit fails, and `on_failure` is told once. Loop
// thread only.
#pragma once

#include "helper/supervisor/recorder.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <unordered_map>

namespace belljar {

class SessionRecorder final : public Recorder {
public:
    struct Bounds {
        std::size_t distinct_per_second = 200; // denied calls that differ
        std::size_t targets_per_second = 2000; // connections and names that differ
        std::size_t waiting = 8192;
        std::chrono::milliseconds fold{1000};
    };

    // With bounds of its own only in tests.
    SessionRecorder(boost::asio::io_context& loop, std::unique_ptr<RecordWriter> writer);
    SessionRecorder(boost::asio::io_context& loop, std::unique_ptr<RecordWriter> writer, Bounds bounds);
    ~SessionRecorder() override;

    std::uint64_t next_connection() override { return ++connections_; }
    Status commit(NewEvent event) override;
    void note(NewEvent event) override;
    void note_repeating(const std::string& key, NewEvent event) override;
    bool repeat(const std::string& key) override;
    const SessionTotals& totals() const override { return totals_; }

    // Writes what is folded and noted, then session-ended, and seals. Nothing may be noted afterwards.
    Result<Seal> seal(NewEvent ended);
    // RecordWriter::finish; when nobody waits any more.
    void finish() { writer_->finish(); }
    std::uint64_t last_sequence() const { return writer_->last_sequence(); }
    std::string public_key() const { return writer_->public_key(); }

    std::function<void()> on_append;              // something new is in the record (not for the seal: its caller knows)
    std::function<void(const Error&)> on_failure; // the record cannot be written

private:
    struct Fold {
        NewEvent event;
        std::uint64_t pending = 0; // repeats not yet written
    };
    using Folds = std::unordered_map<std::string, Fold>;

    void count(const NewEvent& event, std::uint64_t times);
    void enqueue(NewEvent event);
    bool flush(); // false: not written
    void write_folds();
    void arm();
    Fold& open_fold(const std::string& key, NewEvent event);

    boost::asio::io_context& loop_;
    std::unique_ptr<RecordWriter> writer_;
    Bounds bounds_;
    std::vector<NewEvent> waiting_;
    std::uint64_t lost_ = 0; // events beyond what may wait
    Folds folds_;
    std::size_t distinct_ = 0, distinct_targets_ = 0, coarse_ = 0; // keys made in this second, by kind of fold
    boost::asio::steady_timer timer_;
    bool armed_ = false, flush_posted_ = false, failing_ = false, sealed_ = false;
    std::uint64_t connections_ = 0;
    SessionTotals totals_;
    std::shared_ptr<bool> alive_; // for what is posted
};

} // namespace belljar
