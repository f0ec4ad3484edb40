// What doctor finds on this machine, for the System page and for the form of a new session. The checks really try things in
// children, which takes a tenth of a second: they run in a thread of their own, and only when they are asked for.
#pragma once

#include "app/client/doctor.h"

#include <QAbstractListModel>
#include <QtQml/qqmlregistration.h>
#include <vector>

namespace belljar {

using Checks = std::vector<Check>;

class CheckDesk : public QObject {
    Q_OBJECT
public:
    explicit CheckDesk(Place place) : place_(std::move(place)) {}

public slots:
    void check();

signals:
    void checked(const belljar::Checks& checks);

private:
    Place place_;
};

// What limits enforcement stands first: missing, then notes, then what is in order, each in doctor's own order.
class ChecksModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("the application's own")
    Q_PROPERTY(bool known READ known NOTIFY checked)
    Q_PROPERTY(bool able READ able NOTIFY checked) // sessions can start here
    Q_PROPERTY(int missing READ missing NOTIFY checked)
    Q_PROPERTY(int notes READ notes NOTIFY checked)
    Q_PROPERTY(bool checking READ checking NOTIFY checkingChanged)
public:
    enum Role { NameRole = Qt::UserRole, StateRole, FoundRole, AdviceRole };
    Q_ENUM(Role)

    // `desk` lives in another thread and outlives this.
    explicit ChecksModel(CheckDesk& desk, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    bool known() const { return known_; }
    bool able() const { return known_ && missing_ == 0; }
    int missing() const { return missing_; }
    int notes() const { return notes_; }
    bool checking() const { return checking_; }
    Q_INVOKABLE void check();

public slots:
    void take(const belljar::Checks& checks);

signals:
    void checked();
    void checkingChanged();
    void wants_check(); // to the desk

private:
    Checks checks_;
    int missing_ = 0, notes_ = 0;
    bool known_ = false, checking_ = false;
};

} // namespace belljar

Q_DECLARE_METATYPE(belljar::Checks)
