#include "app/desktop/events/denials_model.h"

#include "core/record/event_bytes.h"

#include <algorithm>

namespace belljar {
namespace {

QString shown(const std::string& bytes) { return QString::fromStdString(visible(bytes)); }
qint64 milliseconds(const std::string& time) { return parse_time(time).value_or(0) / 1000; }

} // namespace

int DenialsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(folds_.size()); }

QVariant DenialsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto& [fold, sample] = folds_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case KindRole: return shown(fold.kind);
    case Qt::DisplayRole:
    case WhatRole: return shown(fold.what);
    case ReasonRole: return shown(fold.reason);
    case CountRole: return QVariant::fromValue<quint64>(fold.count);
    case FirstRole: return milliseconds(fold.first_time);
    case LastRole: return milliseconds(fold.last_time);
    case SeqRole: return QVariant::fromValue<quint64>(fold.last_seq);
    case ProcessRole: return sample.process;
    case ArgumentsRole: return sample.arguments;
    case SentenceRole: return sample.sentence;
    default: return {};
    }
}

QHash<int, QByteArray> DenialsModel::roleNames() const {
    return {{KindRole, "kind"}, {WhatRole, "what"}, {ReasonRole, "reason"}, {CountRole, "count"}, {FirstRole, "firstMs"},
            {LastRole, "lastMs"}, {SeqRole, "seq"}, {ProcessRole, "process"}, {ArgumentsRole, "arguments"},
            {SentenceRole, "sentence"}};
}

void DenialsModel::opened(const QString&, quint64 last, bool) {
    *latest_ = ++token_;
    if (!folds_.empty()) {
        beginRemoveRows({}, 0, rowCount() - 1);
        folds_.clear();
        endRemoveRows();
    }
    total_ = seen_to_ = 0;
    last_ = last;
    ask();
}

void DenialsModel::grown(quint64 last, bool) {
    last_ = last;
    if (!asking_) ask();
}

void DenialsModel::ask() {
    asking_ = true;
    EventQuestion question;
    question.what = EventQuestion::Denials;
    question.token = token_;
    question.latest = latest_;
    question.after = seen_to_;
    emit asks(question);
}

void DenialsModel::take(const EventAnswer& answer) {
    if (answer.token != token_ || answer.what != EventQuestion::Denials) return;
    asking_ = false;
    error_ = answer.error;
    if (error_.isEmpty()) {
        seen_to_ = answer.up_to;
        for (const DenialFold& fold : answer.denials) {
            total_ += fold.count;
            const EventRow sample = event_row({fold.last_seq, fold.sample});
            const bool call = fold.kind == "syscall-denied";
            const auto known = std::find_if(folds_.begin(), folds_.end(), [&](const Fold& one) {
                return one.fold.kind == fold.kind && one.fold.what == fold.what && (call || one.fold.reason == fold.reason);
            });
            if (known != folds_.end()) {
                known->fold.count += fold.count;
                known->fold.last_seq = fold.last_seq;
                known->fold.last_time = fold.last_time;
                known->sample = sample;
                const QModelIndex at = index(static_cast<int>(known - folds_.begin()));
                emit dataChanged(at, at);
            } else if (static_cast<int>(folds_.size()) < RecordQuery::kMostFolds) { // beyond, it counts in the total alone
                beginInsertRows({}, rowCount(), rowCount());
                folds_.push_back({fold, sample});
                endInsertRows();
            }
        }
        if (last_ > seen_to_) ask();
    }
    emit stateChanged();
}

} // namespace belljar
