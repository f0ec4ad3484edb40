// What the models ask of a record and what comes back. Both travel by value between the window's thread and the record's.
#pragma once

#include "core/record/query.h"

#include <QMetaType>
#include <QString>
#include <atomic>
#include <memory>

namespace belljar {

// One event as rows show it. Texts have passed visible().
struct EventRow {
    quint64 seq = 0, count = 1, sent = 0, received = 0, durationMs = 0;
    qint64 conn = -1, timeMs = 0;
    int port = 0, pid = 0;
    QString kind, process, arguments, host, verdict, rule, reason, sentence;
    bool open = false; // an allowed connection whose end is not in the record
};

struct EventQuestion {
    enum What { Page, Newer, Count, Denials, Bytes };
    What what = Page;
    quint64 token = 0;
    // The token of the asker's latest question of this kind; an older one is left, also in its midst.
    std::shared_ptr<std::atomic<quint64>> latest;
    EventFilter filter;
    EventOrder order = EventOrder::Newest;
    std::optional<EventCursor> behind;
    quint64 after = 0;
    int limit = 200;
    std::vector<std::uint64_t> open; // connections whose ends are asked for as well, from `ends_after` on
    quint64 ends_after = 0;
    qint64 since_us = 0, until_us = 0;
    int bins = 0;
};

struct EventAnswer {
    EventQuestion::What what = EventQuestion::Page;
    std::shared_ptr<std::atomic<quint64>> asker; // the question's `latest`
    quint64 token = 0, up_to = 0; // the answer holds for the events up to this one
    QString error;                // why there is none
    std::vector<EventRow> rows;
    EventCursor next;
    bool more = false;
    quint64 count = 0;
    std::map<std::uint64_t, ConnectionEnd> ends;
    std::vector<DenialFold> denials;
    Traffic traffic;
};

// Reads what it can; a damaged event becomes a row that says so.
EventRow event_row(const StoredEvent& event);

} // namespace belljar

Q_DECLARE_METATYPE(belljar::EventQuestion)
Q_DECLARE_METATYPE(belljar::EventAnswer)
