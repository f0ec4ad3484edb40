#include "app/desktop/system/checks_model.h"

#include <algorithm>
#include <utility>

namespace belljar {
namespace {

// As `doctor --json` says it.
QString word_of(Check::State state) {
    switch (state) {
    case Check::State::Ok:
        return QStringLiteral("ok");
    case Check::State::Note:
        return QStringLiteral("note");
    case Check::State::Missing:
        return QStringLiteral("missing");
    }
    return {};
}

int count(const Checks& checks, Check::State state) {
    return static_cast<int>(std::count_if(checks.begin(), checks.end(), [&](const Check& check) { return check.state == state; }));
}

} // namespace

void CheckDesk::check() { emit checked(check_everything(place_)); }

ChecksModel::ChecksModel(CheckDesk& desk, QObject* parent) : QAbstractListModel(parent) {
    qRegisterMetaType<Checks>();
    connect(this, &ChecksModel::wants_check, &desk, &CheckDesk::check);
    connect(&desk, &CheckDesk::checked, this, &ChecksModel::take);
}

int ChecksModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(checks_.size()); }

QVariant ChecksModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Check& check = checks_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return QString::fromStdString(check.name);
    case StateRole:
        return word_of(check.state);
    case FoundRole:
        return QString::fromStdString(check.found);
    case AdviceRole:
        return QString::fromStdString(check.advice);
    default:
        return {};
    }
}

QHash<int, QByteArray> ChecksModel::roleNames() const {
    return {{NameRole, "name"}, {StateRole, "state"}, {FoundRole, "found"}, {AdviceRole, "advice"}};
}

void ChecksModel::check() {
    if (std::exchange(checking_, true)) return;
    emit checkingChanged();
    emit wants_check();
}

void ChecksModel::take(const Checks& checks) {
    Checks sorted = checks;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Check& one, const Check& other) { return one.state > other.state; });
    // A list of some twenty rows that is asked for by hand: drawn anew as a whole.
    beginResetModel();
    checks_ = std::move(sorted);
    endResetModel();
    known_ = true;
    missing_ = count(checks_, Check::State::Missing);
    notes_ = count(checks_, Check::State::Note);
    emit checked();
    if (std::exchange(checking_, false)) emit checkingChanged();
}

} // namespace belljar
