#include "app/desktop/events/record_follower.h"

#include "core/session/identity.h"
#include "core/session/paths.h"

namespace belljar {
namespace {

constexpr int kPauseMs = 250, kSlowMs = 1000;

} // namespace

RecordFollower::RecordFollower(std::string sessions) : sessions_(std::move(sessions)) {
    qRegisterMetaType<EventQuestion>();
    qRegisterMetaType<EventAnswer>();
}

void RecordFollower::open(const QString& id) {
    delete changes_;
    delete pause_;
    delete slow_;
    changes_ = nullptr, pause_ = slow_ = nullptr;
    query_.reset();
    again_ = false;
    const std::string path = sessions_ + "/" + id.toStdString() + "/" + kRecordFile;
    auto opened_query = id.isEmpty() || id.contains('/') || id.startsWith('.')
                            ? Result<std::unique_ptr<RecordQuery>>(failure("open a record", "no session has such an id"))
                            : RecordQuery::open(path);
    if (!opened_query) return emit failed(id, QString::fromStdString(opened_query.error().message()));
    query_ = std::move(*opened_query);
    last_ = query_->last_sequence();
    const bool sealed = query_->sealed();
    if (!sealed) {
        pause_ = new QTimer(this);
        pause_->setSingleShot(true);
        connect(pause_, &QTimer::timeout, this, [this] { if (again_) look(); });
        slow_ = new QTimer(this);
        connect(slow_, &QTimer::timeout, this, &RecordFollower::look_soon);
        slow_->start(kSlowMs);
        changes_ = new QFileSystemWatcher({QString::fromStdString(path + "-wal")}, this);
        connect(changes_, &QFileSystemWatcher::fileChanged, this, &RecordFollower::look_soon);
    }
    emit opened(id, last_, sealed);
}

void RecordFollower::look_soon() {
    if (pause_ != nullptr && pause_->isActive())
        again_ = true;
    else
        look();
}

void RecordFollower::look() {
    again_ = false;
    if (!query_) return;
    query_->set_wanted({});
    const quint64 last = query_->last_sequence();
    const bool sealed = query_->sealed();
    if (last > last_) {
        last_ = last;
        if (pause_ != nullptr) pause_->start(kPauseMs);
        emit grew(last, sealed);
    }
    if (sealed && slow_ != nullptr) slow_->stop();
}

void RecordFollower::ask(const EventQuestion& question) {
    EventAnswer out;
    out.what = question.what;
    out.token = question.token;
    out.asker = question.latest;
    const auto wanted = [this, latest = question.latest, token = question.token] {
        return !given_up_ && (!latest || *latest == token);
    };
    if (!wanted()) return;
    if (!query_) {
        out.error = QStringLiteral("no record is open");
        return emit answered(out);
    }
    query_->set_wanted(wanted);
    const Status status = answer(question, out);
    query_->set_wanted({});
    if (!wanted()) return;
    if (!status) out.error = QString::fromStdString(status.error().message());
    emit answered(out);
}

Status RecordFollower::answer(const EventQuestion& question, EventAnswer& out) {
    EventFilter filter = question.filter;
    out.up_to = filter.up_to = query_->last_sequence();
    switch (question.what) {
    case EventQuestion::Page:
    case EventQuestion::Newer: {
        const auto page = query_->page(filter, question.order, question.behind, question.after, question.limit);
        if (!page) return tl::unexpected(page.error());
        out.next = page->next;
        out.more = page->more;
        std::vector<std::uint64_t> open;
        quint64 first = out.up_to;
        for (const StoredEvent& event : page->events) {
            out.rows.push_back(event_row(event));
            if (!out.rows.back().open) continue;
            open.push_back(static_cast<std::uint64_t>(out.rows.back().conn));
            first = std::min<quint64>(first, event.seq);
        }
        const auto ends = query_->ends(open, first);
        if (!ends) return tl::unexpected(ends.error());
        out.ends = *ends;
        break;
    }
    case EventQuestion::Count: {
        const auto count = query_->count(filter, question.after);
        if (!count) return tl::unexpected(count.error());
        out.count = *count;
        break;
    }
    case EventQuestion::Denials: {
        auto folds = query_->denials(filter, question.after);
        if (!folds) return tl::unexpected(folds.error());
        out.denials = std::move(*folds);
        return {};
    }
    case EventQuestion::Bytes: {
        auto traffic = query_->traffic(question.since_us, question.until_us, question.bins);
        if (!traffic) return tl::unexpected(traffic.error());
        out.traffic = std::move(*traffic);
        return {};
    }
    }
    auto ends = query_->ends(question.open, question.ends_after);
    if (!ends) return tl::unexpected(ends.error());
    out.ends.merge(*ends);
    return {};
}

} // namespace belljar
