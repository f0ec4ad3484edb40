// Questions about one record, asked in SQL on a connection of its own that only reads. The record may be growing meanwhile. One
// thread at a time; only the function given to set_wanted may look at what other threads write.
// Pages go by a cursor (a sequence number), so a page at the far end of a million events costs what the first one costs.
#pragma once

#include "core/record/reader.h"

#include <map>
#include <vector>

namespace belljar {

// What an event must be to be in the answer; what is empty asks for nothing. Texts are looked for anywhere, A to Z in either case.
struct EventFilter {
    std::vector<std::string> kinds;
    std::string verdict, host, process, text; // `process`: in exe or argv; `text`: in all of the event as stored
    std::int64_t since_us = 0, until_us = 0;  // from, and before; 0: no bound
    std::optional<std::uint64_t> conn;
    std::uint64_t up_to = 0; // the last event to look at, for answers that are added up; 0: no bound
    bool operator==(const EventFilter&) const = default;
};

enum class EventOrder { Newest, Host, Process, Verdict, Rule }; // within equal ones the newest first

// Where a page begins: behind the event that was shown last. `key` is that event's value in the order asked for.
struct EventCursor {
    std::string key;
    std::uint64_t seq = 0;
};

struct EventPage {
    std::vector<StoredEvent> events;
    EventCursor next; // for the page behind this one
    bool more = false;
};

// Denials of one kind: connections and names by host and reason, calls by their name.
struct DenialFold {
    std::string kind, what, reason;
    std::uint64_t count = 0, first_seq = 0, last_seq = 0;
    std::string first_time, last_time;
    std::string sample; // the bytes of the last one
};

// One host's bytes in equal bins from `since_us` on, both ways together, spread evenly over each connection's time.
struct Traffic {
    std::int64_t since_us = 0, bin_us = 0;
    std::map<std::string, std::vector<double>> by_host;
};

// What became of a connection.
struct ConnectionEnd {
    std::uint64_t seq = 0, sent = 0, received = 0, duration_ms = 0;
    std::string reason;
};

class RecordQuery {
public:
    static constexpr int kMostBins = 600, kMostPage = 1000, kMostFolds = 2000, kMostMarks = 2000, kLookBack = 100'000;

    static Result<std::unique_ptr<RecordQuery>> open(const std::string& record_path);
    virtual ~RecordQuery() = default;

    // Asked now and then in the midst of a question; when it says false the question fails.
    virtual void set_wanted(std::function<bool()> wanted) = 0;
    virtual std::uint64_t last_sequence() const = 0;
    virtual bool sealed() const = 0;
    // Events with seq > after, in this order, behind the cursor if there is one; at most kMostPage.
    virtual Result<EventPage> page(const EventFilter& filter, EventOrder order, const std::optional<EventCursor>& behind,
                                   std::uint64_t after, int limit) const = 0;
    virtual Result<std::uint64_t> count(const EventFilter& filter, std::uint64_t after) const = 0;
    // The most frequent first, at most kMostFolds.
    virtual Result<std::vector<DenialFold>> denials(const EventFilter& filter, std::uint64_t after) const = 0;
    // Of a connection opened more than kLookBack events before the span only the bytes are known: its host is an empty text.
    virtual Result<Traffic> traffic(std::int64_t since_us, std::int64_t until_us, int bins) const = 0;
    // When something was denied, in that span, in microseconds; the newest kMostMarks.
    virtual Result<std::vector<std::int64_t>> denial_marks(std::int64_t since_us, std::int64_t until_us) const = 0;
    // By connection; those that are open still are not in it. Looks from `after` on.
    virtual Result<std::map<std::uint64_t, ConnectionEnd>> ends(const std::vector<std::uint64_t>& connections,
                                                                std::uint64_t after) const = 0;
};

} // namespace belljar
