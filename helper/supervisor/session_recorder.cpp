#include "helper/supervisor/session_recorder.h"

#include "helper/supervisor/event_fields.h"

#include <boost/asio/post.hpp>

namespace belljar {
namespace {

// What tells denials of one process and call apart; left out where they are folded together.
constexpr const char* kParticulars[] = {"conn", "host", "ip", "port", "name", "type", "rule", "reason", "args"};
constexpr const char* kProcess[] = {"pid", "exe", "argv"};

std::string text_of(const Json& fields, const char* name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->is_string() ? found->get<std::string>() : found->dump();
}

// The two coarser things that an event may be folded into. Never across verdicts: an allow must not count a denial.
std::string call_key(const NewEvent& event) {
    return "call\n" + event.kind + '\n' + text_of(event.fields, "verdict") + '\n' + text_of(event.fields, "syscall") + '\n' +
           text_of(event.fields, "proto");
}
std::string process_key(const NewEvent& event) {
    return "process\n" + text_of(event.fields, "pid") + '\n' + text_of(event.fields, "exe") + '\n' + call_key(event);
}

} // namespace

SessionRecorder::SessionRecorder(boost::asio::io_context& loop, std::unique_ptr<RecordWriter> writer)
    : SessionRecorder(loop, std::move(writer), Bounds()) {}

SessionRecorder::SessionRecorder(boost::asio::io_context& loop, std::unique_ptr<RecordWriter> writer, Bounds bounds)
    : loop_(loop), writer_(std::move(writer)), bounds_(bounds), timer_(loop), alive_(std::make_shared<bool>(true)) {}

SessionRecorder::~SessionRecorder() {
    *alive_ = false;
}

void SessionRecorder::count(const NewEvent& event, std::uint64_t times) {
    const Json& fields = event.fields;
    if (event.kind == "syscall-denied")
        totals_.calls_denied += times;
    else if (event.kind == "egress" || event.kind == "dns") {
        const std::string verdict = text_of(fields, "verdict");
        if (verdict == "denied")
            totals_.denied += times;
        else if (verdict == "allowed" && event.kind == "egress")
            totals_.allowed += times;
    } else if (event.kind == "egress-closed") {
        totals_.bytes_sent += fields.value("bytes_sent", std::uint64_t{0});
        totals_.bytes_received += fields.value("bytes_received", std::uint64_t{0});
    }
}

Status SessionRecorder::commit(NewEvent event) {
    if (sealed_) return failure("write the record", "it is sealed");
    if (event.time_us == 0) event.time_us = now_us();
    if (!flush()) return failure("write the record", "what happened before could not be written");
    const auto written = writer_->append(event);
    if (!written) {
        if (!std::exchange(failing_, true) && on_failure) on_failure(written.error());
        arm();
        return tl::unexpected(written.error());
    }
    count(event, 1);
    if (on_append) on_append();
    return {};
}

void SessionRecorder::note(NewEvent event) {
    if (sealed_) return;
    count(event, event.fields.value("count", std::uint64_t{1}));
    enqueue(std::move(event));
}

bool SessionRecorder::repeat(const std::string& key) {
    const auto found = folds_.find(key);
    if (found == folds_.end() || sealed_) return false;
    ++found->second.pending;
    count(found->second.event, 1);
    return true;
}

void SessionRecorder::note_repeating(const std::string& key, NewEvent event) {
    if (sealed_ || repeat(key)) return;
    // Where a program wanted to go matters more than the arguments of a denied call: many more are told apart.
    std::size_t& distinct = event.kind == "syscall-denied" ? distinct_ : distinct_targets_;
    if (distinct < (event.kind == "syscall-denied" ? bounds_.distinct_per_second : bounds_.targets_per_second)) {
        ++distinct;
        open_fold(key, std::move(event));
        return;
    }
    for (const char* name : kParticulars)
        event.fields.erase(name);
    event.fields["folded"] = "by process and call";
    std::string coarse = process_key(event);
    if (repeat(coarse)) return;
    if (coarse_ >= bounds_.distinct_per_second) {
        coarse = call_key(event);
        if (repeat(coarse)) return;
        for (const char* name : kProcess)
            event.fields.erase(name);
        event.fields["folded"] = "by call";
    }
    ++coarse_;
    open_fold(coarse, std::move(event));
}

SessionRecorder::Fold& SessionRecorder::open_fold(const std::string& key, NewEvent event) {
    event.fields["count"] = 1;
    count(event, 1);
    enqueue(event);
    event.time_us = 0;
    arm();
    return folds_.emplace(key, Fold{std::move(event)}).first->second;
}

void SessionRecorder::enqueue(NewEvent event) {
    if (event.time_us == 0) event.time_us = now_us();
    if (waiting_.size() >= bounds_.waiting && !flush()) {
        ++lost_;
        return;
    }
    waiting_.push_back(std::move(event));
    if (std::exchange(flush_posted_, true)) return;
    boost::asio::post(loop_, [this, alive = alive_] {
        if (!*alive) return;
        flush_posted_ = false;
        flush();
    });
}

bool SessionRecorder::flush() {
    if (waiting_.empty() && lost_ == 0) return true;
    if (lost_ > 0) {
        NewEvent gap{.kind = "record-gap", .fields = Json::object(), .time_us = now_us()};
        gap.fields["events"] = lost_;
        gap.fields["reason"] = "the record could not be written";
        waiting_.push_back(std::move(gap));
    }
    const auto written = writer_->append(waiting_);
    if (!written) {
        if (lost_ > 0) waiting_.pop_back();
        if (!std::exchange(failing_, true) && on_failure) on_failure(written.error());
        arm();
        return false;
    }
    waiting_.clear();
    lost_ = 0;
    failing_ = false;
    if (on_append) on_append();
    return true;
}

void SessionRecorder::write_folds() {
    distinct_ = distinct_targets_ = coarse_ = 0;
    for (auto fold = folds_.begin(); fold != folds_.end();) {
        if (fold->second.pending == 0) {
            fold = folds_.erase(fold);
            continue;
        }
        NewEvent event = fold->second.event;
        event.fields["count"] = std::exchange(fold->second.pending, 0);
        enqueue(std::move(event));
        ++fold;
    }
}

void SessionRecorder::arm() {
    if (sealed_ || std::exchange(armed_, true)) return;
    timer_.expires_after(bounds_.fold);
    timer_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
        if (error || !*alive || sealed_) return;
        armed_ = false;
        write_folds();
        flush();
        if (!folds_.empty() || !waiting_.empty()) arm();
    });
}

Result<Seal> SessionRecorder::seal(NewEvent ended) {
    if (sealed_) return failure("seal the record", "it is sealed already");
    write_folds();
    flush();
    sealed_ = true;
    timer_.cancel();
    if (ended.time_us == 0) ended.time_us = now_us();
    return writer_->seal(std::move(ended));
}

} // namespace belljar
