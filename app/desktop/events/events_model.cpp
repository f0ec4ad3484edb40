#include "app/desktop/events/events_model.h"

#include <algorithm>

namespace belljar {

EventsModel::EventsModel(std::vector<std::string> kinds, QObject* parent) : QAbstractTableModel(parent), kinds_(std::move(kinds)) {
    connect(this, &EventsModel::filterChanged, this, &EventsModel::reload);
    connect(this, &EventsModel::holdChanged, this, [this] {
        if (!frozen_ && !held_ && order() == EventOrder::Newest && new_ > 0) ask_for_new(true);
    });
}

int EventsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int EventsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : Columns; }

QVariant EventsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const EventRow& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole) {
        constexpr Role kOf[] = {TimeRole, ProcessRole, HostRole, VerdictRole, RuleRole, SentRole, ReceivedRole, DurationRole};
        role = kOf[index.column()];
    }
    switch (role) {
    case SeqRole: return row.seq;
    case TimeRole: return row.timeMs;
    case KindRole: return row.kind;
    case ProcessRole: return row.process;
    case ArgumentsRole: return row.arguments;
    case PidRole: return row.pid;
    case HostRole: return row.host;
    case PortRole: return row.port;
    case VerdictRole: return row.verdict;
    case RuleRole: return row.rule;
    case ReasonRole: return row.reason;
    case SentRole: return row.sent;
    case ReceivedRole: return row.received;
    case DurationRole: return row.durationMs;
    case CountRole: return row.count;
    case ConnRole: return row.conn;
    case OpenRole: return row.open;
    case SentenceRole: return row.sentence;
    default: return {};
    }
}

QHash<int, QByteArray> EventsModel::roleNames() const {
    return {{SeqRole, "seq"}, {TimeRole, "timeMs"}, {KindRole, "kind"}, {ProcessRole, "process"}, {ArgumentsRole, "arguments"},
            {PidRole, "pid"}, {HostRole, "host"}, {PortRole, "port"}, {VerdictRole, "verdict"}, {RuleRole, "rule"},
            {ReasonRole, "reason"}, {SentRole, "sent"}, {ReceivedRole, "received"}, {DurationRole, "durationMs"},
            {CountRole, "count"}, {ConnRole, "conn"}, {OpenRole, "open"}, {SentenceRole, "sentence"},
            {Qt::DisplayRole, "display"}};
}

EventOrder EventsModel::order() const {
    if (sort_by_ == QLatin1String("host")) return EventOrder::Host;
    if (sort_by_ == QLatin1String("process")) return EventOrder::Process;
    if (sort_by_ == QLatin1String("verdict")) return EventOrder::Verdict;
    if (sort_by_ == QLatin1String("rule")) return EventOrder::Rule;
    return EventOrder::Newest;
}

int EventsModel::row_of(quint64 seq) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const EventRow& row) { return row.seq == seq; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

EventQuestion EventsModel::question(EventQuestion::What what) const {
    EventQuestion out;
    out.what = what;
    out.token = token_;
    out.latest = latest_;
    out.filter = {.kinds = kinds_, .verdict = verdict_.toStdString(), .host = host_.toStdString(),
                  .process = process_.toStdString(), .text = text_.toStdString()};
    out.order = order();
    return out;
}

void EventsModel::opened(const QString&, quint64 last, bool) {
    last_ = last;
    reload();
}

void EventsModel::reload() {
    *latest_ = ++token_;
    remove_from(0);
    error_.clear();
    new_ = shown_to_ = ends_to_ = 0;
    asking_new_ = more_ = false;
    paging_ = true;
    next_ = {};
    emit stateChanged();
    emit asks(question(EventQuestion::Page));
}

bool EventsModel::canFetchMore(const QModelIndex& parent) const {
    return !parent.isValid() && more_ && !paging_ && static_cast<int>(rows_.size()) < kMostRows;
}

void EventsModel::fetchMore(const QModelIndex& parent) {
    if (!canFetchMore(parent)) return;
    paging_ = true;
    EventQuestion ask = question(EventQuestion::Page);
    ask.behind = next_;
    emit stateChanged();
    emit asks(ask);
}

void EventsModel::grown(quint64 last, bool) {
    last_ = last;
    if (shown_to_ != 0 && !asking_new_) ask_for_new(!frozen_ && !held_ && order() == EventOrder::Newest);
}

void EventsModel::showNew() {
    if (order() != EventOrder::Newest) return reload();
    ask_for_new(true);
}

void EventsModel::ask_for_new(bool show) {
    asking_new_ = true;
    asked_ = last_;
    EventQuestion ask = question(show ? EventQuestion::Newer : EventQuestion::Count);
    ask.after = shown_to_;
    ask.limit = RecordQuery::kMostPage;
    ask.ends_after = ends_to_;
    for (const EventRow& row : rows_)
        if (row.open) ask.open.push_back(static_cast<std::uint64_t>(row.conn));
    emit asks(ask);
}

void EventsModel::take(const EventAnswer& answer) {
    if (answer.token != token_) return;
    error_ = answer.error;
    if (answer.what == EventQuestion::Page) paging_ = false;
    if (answer.what != EventQuestion::Page) asking_new_ = false;
    if (error_.isEmpty()) {
        // Rows that are held back count once more only when they were read: what a slow count says of rows shown since is old.
        if (answer.what == EventQuestion::Page) append(answer);
        if (answer.what == EventQuestion::Newer) prepend(answer);
        if (answer.what == EventQuestion::Count && answer.up_to > shown_to_) new_ = answer.count;
        close(answer.ends, answer.what == EventQuestion::Page ? 0 : answer.up_to);
        if (answer.what != EventQuestion::Page && last_ > asked_) grown(last_, false);
    }
    emit stateChanged();
}

void EventsModel::append(const EventAnswer& answer) {
    if (shown_to_ == 0) shown_to_ = ends_to_ = answer.up_to; // the first page
    next_ = answer.next;
    more_ = answer.more;
    if (answer.rows.empty()) return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(answer.rows.size()) - 1);
    rows_.insert(rows_.end(), answer.rows.begin(), answer.rows.end());
    endInsertRows();
}

void EventsModel::prepend(const EventAnswer& answer) {
    if (answer.up_to <= shown_to_) return; // two questions for the same rows
    new_ = 0;
    shown_to_ = answer.up_to;
    if (answer.rows.empty()) return;
    if (answer.more) { // a flood: between these and those in memory there are others, which are paged in like older ones
        remove_from(0);
        next_ = answer.next;
        more_ = true;
    }
    beginInsertRows({}, 0, static_cast<int>(answer.rows.size()) - 1);
    rows_.insert(rows_.begin(), answer.rows.begin(), answer.rows.end());
    endInsertRows();
    if (static_cast<int>(rows_.size()) <= kMostRows) return;
    remove_from(kMostRows); // read again when somebody scrolls there
    next_ = {"", rows_.back().seq};
    more_ = true;
}

void EventsModel::close(const std::map<std::uint64_t, ConnectionEnd>& ends, quint64 up_to) {
    ends_to_ = std::max(ends_to_, up_to);
    if (ends.empty()) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        EventRow& row = rows_[i];
        if (!row.open) continue;
        const auto end = ends.find(static_cast<std::uint64_t>(row.conn));
        if (end == ends.end()) continue;
        row.open = false;
        row.sent = end->second.sent;
        row.received = end->second.received;
        row.durationMs = end->second.duration_ms;
        emit dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), Columns - 1));
    }
}

void EventsModel::remove_from(int first) {
    if (first >= rowCount()) return;
    beginRemoveRows({}, first, rowCount() - 1);
    rows_.erase(rows_.begin() + first, rows_.end());
    endRemoveRows();
}

} // namespace belljar
