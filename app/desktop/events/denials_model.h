// What was denied, folded by kind with counts. The order is that of the moment of opening; counts change in place, new kinds come
// at the end, so nothing moves under the hand.
#pragma once

#include "app/desktop/events/event_question.h"

#include <QAbstractListModel>
#include <QtQml/qqmlregistration.h>

namespace belljar {

class DenialsModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(quint64 total READ total NOTIFY stateChanged)
    Q_PROPERTY(QString error READ error NOTIFY stateChanged)
public:
    enum Role { KindRole = Qt::UserRole, WhatRole, ReasonRole, CountRole, FirstRole, LastRole, SeqRole, ProcessRole, ArgumentsRole,
                SentenceRole };
    Q_ENUM(Role)
    explicit DenialsModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    quint64 total() const { return total_; }
    const QString& error() const { return error_; }

    bool asked_by_this(const EventAnswer& answer) const { return answer.asker == latest_; }

public slots:
    void opened(const QString& id, quint64 last, bool sealed);
    void grown(quint64 last, bool sealed);
    void take(const belljar::EventAnswer& answer);

signals:
    void asks(const belljar::EventQuestion& question);
    void stateChanged();

private:
    void ask();

    struct Fold {
        DenialFold fold;
        EventRow sample;
    };
    std::vector<Fold> folds_;
    QString error_;
    quint64 total_ = 0, token_ = 0, seen_to_ = 0, last_ = 0;
    bool asking_ = false;
    std::shared_ptr<std::atomic<quint64>> latest_ = std::make_shared<std::atomic<quint64>>(0);
};

} // namespace belljar
