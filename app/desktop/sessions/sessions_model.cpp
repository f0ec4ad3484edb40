#include "app/desktop/sessions/sessions_model.h"

#include <algorithm>
#include <unordered_set>

namespace belljar {
namespace {

bool lives(const SessionRow& row) { return row.state == SessionState::Starting || row.state == SessionState::Running; }

bool same(const SessionRow& one, const SessionRow& other) {
    const SessionTotals &a = one.totals, &b = other.totals;
    return one.id == other.id && one.name == other.name && one.state == other.state && one.status == other.status &&
           one.reason == other.reason && one.ended_us == other.ended_us && one.started_us == other.started_us &&
           one.sealed == other.sealed && one.command == other.command && one.workspace == other.workspace &&
           one.policy == other.policy && a.allowed == b.allowed && a.denied == b.denied && a.calls_denied == b.calls_denied &&
           a.bytes_sent == b.bytes_sent && a.bytes_received == b.bytes_received;
}

QVariant text(const std::string& bytes) { return QString::fromStdString(bytes); }

} // namespace

SessionsModel::SessionsModel(QObject* parent) : QAbstractListModel(parent) {}

int SessionsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

QVariant SessionsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const SessionRow& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case IdRole: return text(row.id);
    case Qt::DisplayRole:
    case NameRole: return text(row.name);
    case CommandRole: return text(row.command);
    case WorkspaceRole: return text(row.workspace);
    case PolicyRole: return text(row.policy);
    case StateRole: return text(state_word(row.state));
    case LiveRole: return lives(row);
    case StatusRole: return row.status ? QVariant(*row.status) : QVariant();
    case ReasonRole: return text(row.reason);
    case AllowedRole: return QVariant::fromValue<quint64>(row.totals.allowed);
    case DeniedRole: return QVariant::fromValue<quint64>(row.totals.denied);
    case CallsDeniedRole: return QVariant::fromValue<quint64>(row.totals.calls_denied);
    case BytesRole: return QVariant::fromValue<quint64>(row.totals.bytes_sent + row.totals.bytes_received);
    case StartedRole: return QVariant::fromValue<qint64>(row.started_us / 1000);
    case EndedRole: return QVariant::fromValue<qint64>(row.ended_us / 1000);
    case SealedRole: return row.sealed;
    case GroupRole: return lives(row) ? QStringLiteral("live") : QStringLiteral("ended");
    default: return {};
    }
}

QHash<int, QByteArray> SessionsModel::roleNames() const {
    return {{IdRole, "sessionId"}, {NameRole, "name"}, {CommandRole, "command"}, {WorkspaceRole, "workspace"},
            {PolicyRole, "policy"}, {StateRole, "state"}, {LiveRole, "live"}, {StatusRole, "status"}, {ReasonRole, "reason"},
            {AllowedRole, "allowed"}, {DeniedRole, "denied"}, {CallsDeniedRole, "callsDenied"}, {BytesRole, "bytes"},
            {StartedRole, "startedMs"}, {EndedRole, "endedMs"}, {SealedRole, "sealed"}, {GroupRole, "group"}};
}

int SessionsModel::row_of(const QString& id) const {
    const std::string wanted = id.toStdString();
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const SessionRow& row) { return row.id == wanted; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

void SessionsModel::take(const SessionRows& rows, const QString& notice) {
    SessionRows wanted = rows;
    std::stable_partition(wanted.begin(), wanted.end(), lives);
    std::unordered_set<std::string> ids;
    for (const SessionRow& row : wanted)
        ids.insert(row.id);
    for (std::size_t i = rows_.size(); i-- > 0;) {
        if (ids.contains(rows_[i].id)) continue;
        beginRemoveRows({}, static_cast<int>(i), static_cast<int>(i));
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(i));
        endRemoveRows();
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const int at = static_cast<int>(i);
        const auto from = std::find_if(rows_.begin() + at, rows_.end(), [&](const SessionRow& row) { return row.id == wanted[i].id; });
        if (from == rows_.end()) {
            beginInsertRows({}, at, at);
            rows_.insert(rows_.begin() + at, wanted[i]);
            endInsertRows();
            continue;
        }
        if (const int source = static_cast<int>(from - rows_.begin()); source != at) {
            beginMoveRows({}, source, source, {}, at);
            std::rotate(rows_.begin() + at, from, from + 1);
            endMoveRows();
        }
        if (same(rows_[i], wanted[i])) continue;
        rows_[i] = wanted[i];
        emit dataChanged(index(at), index(at));
    }
    const int live = static_cast<int>(std::count_if(rows_.begin(), rows_.end(), lives));
    if (live != live_ || !known_) {
        live_ = live;
        known_ = true;
        emit countsChanged();
    }
    if (notice != notice_) {
        notice_ = notice;
        emit noticeChanged();
    }
}

} // namespace belljar
