#include "app/desktop/sessions/session_filter.h"

#include <algorithm>

namespace belljar {

SessionFilter::SessionFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(this, signal, this, &SessionFilter::countChanged);
    connect(this, &QAbstractItemModel::modelReset, this, &SessionFilter::countChanged);
}

void SessionFilter::set_sessions(SessionsModel* sessions) {
    if (sessions == sourceModel()) return;
    setSourceModel(sessions);
    emit sessionsChanged();
    emit countChanged();
}

void SessionFilter::set_text(const QString& text) {
    if (text == text_) return;
    text_ = text;
    words_ = text.split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
    emit textChanged();
}

void SessionFilter::set_live_only(bool live_only) {
    if (live_only == live_only_) return;
    live_only_ = live_only;
    invalidateFilter();
    emit liveOnlyChanged();
}

QVariantMap SessionFilter::session(const QString& id) const {
    QVariantMap roles;
    const int row = row_of(id);
    if (row < 0) return roles;
    const QHash<int, QByteArray> names = roleNames();
    for (auto name = names.begin(); name != names.end(); ++name)
        roles.insert(QString::fromLatin1(name.value()), index(row, 0).data(name.key()));
    return roles;
}

QString SessionFilter::id_at(int row) const { return index(row, 0).data(SessionsModel::IdRole).toString(); }

int SessionFilter::row_of(const QString& id) const {
    const SessionsModel* all = sessions();
    const int row = all != nullptr ? all->row_of(id) : -1;
    return row < 0 ? -1 : mapFromSource(all->index(row)).row();
}

bool SessionFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (live_only_ && !index.data(SessionsModel::LiveRole).toBool()) return false;
    return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
        constexpr int roles[] = {SessionsModel::NameRole, SessionsModel::CommandRole, SessionsModel::WorkspaceRole,
                                 SessionsModel::PolicyRole, SessionsModel::IdRole};
        return std::any_of(std::begin(roles), std::end(roles),
                           [&](int role) { return index.data(role).toString().contains(word, Qt::CaseInsensitive); });
    });
}

} // namespace belljar
