// The sessions as the window lists them: those that live first, then those that ended, each newest first. Fed with whole lists
// by SessionWatch; rows that stay keep their place in views (no reset), so selection and scroll place survive.
#pragma once

#include "app/desktop/sessions/session_watch.h"

#include <QAbstractListModel>
#include <QtQml/qqmlregistration.h>

namespace belljar {

class SessionsModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("the application's own")
    Q_PROPERTY(int live READ live NOTIFY countsChanged)
    Q_PROPERTY(QString notice READ notice NOTIFY noticeChanged)
    Q_PROPERTY(bool known READ known NOTIFY countsChanged) // the first list has come
public:
    enum Role { IdRole = Qt::UserRole, NameRole, CommandRole, WorkspaceRole, PolicyRole, StateRole, LiveRole, StatusRole, ReasonRole,
                AllowedRole, DeniedRole, CallsDeniedRole, BytesRole, StartedRole, EndedRole, SealedRole, GroupRole };
    Q_ENUM(Role)

    explicit SessionsModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    int live() const { return live_; }
    bool known() const { return known_; }
    const QString& notice() const { return notice_; }
    // -1: there is none of that id.
    Q_INVOKABLE int row_of(const QString& id) const;

public slots:
    void take(const belljar::SessionRows& rows, const QString& notice);

signals:
    void countsChanged();
    void noticeChanged();

private:
    SessionRows rows_;
    QString notice_;
    int live_ = 0;
    bool known_ = false;
};

} // namespace belljar
