// A part of the sessions: those that live, or those in which a text is found (name, command, workspace, policy, id).
#pragma once

#include "app/desktop/sessions/sessions_model.h"

#include <QSortFilterProxyModel>
#include <QtQml/qqmlregistration.h>

namespace belljar {

class SessionFilter : public QSortFilterProxyModel {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(belljar::SessionsModel* sessions READ sessions WRITE set_sessions NOTIFY sessionsChanged)
    Q_PROPERTY(QString text READ text WRITE set_text NOTIFY textChanged) // letters in any case; blanks part words, all of which must be found
    Q_PROPERTY(bool liveOnly READ live_only WRITE set_live_only NOTIFY liveOnlyChanged)
    Q_PROPERTY(int count READ count NOTIFY countChanged)
public:
    explicit SessionFilter(QObject* parent = nullptr);

    SessionsModel* sessions() const { return qobject_cast<SessionsModel*>(sourceModel()); }
    void set_sessions(SessionsModel* sessions);
    QString text() const { return text_; }
    void set_text(const QString& text);
    bool live_only() const { return live_only_; }
    void set_live_only(bool live_only);
    int count() const { return rowCount(); }
    // The roles of the session of that id, by name; empty when there is none in this part.
    Q_INVOKABLE QVariantMap session(const QString& id) const;
    Q_INVOKABLE QString id_at(int row) const; // empty: there is no such row
    Q_INVOKABLE int row_of(const QString& id) const;

signals:
    void sessionsChanged();
    void textChanged();
    void liveOnlyChanged();
    void countChanged();

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QString text_;
    QStringList words_;
    bool live_only_ = false;
};

} // namespace belljar
