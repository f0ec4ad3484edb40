// What the window's pages find: the models, and what can be done with a session. It owns the threads in which files, sockets and
// the index are waited for; the window's own thread only takes what they send.
#pragma once

#include "app/desktop/sessions/sessions_model.h"
#include "app/desktop/start/start_model.h"
#include "app/desktop/system/checks_model.h"

#include <QObject>
#include <QThread>
#include <QtQml/qqmlregistration.h>

class QQmlEngine;
class QJSEngine;

namespace belljar {

class App : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
    Q_PROPERTY(belljar::SessionsModel* sessions READ sessions CONSTANT)
    Q_PROPERTY(belljar::StartModel* start READ start CONSTANT)
    Q_PROPERTY(belljar::ChecksModel* checks READ checks CONSTANT)
    Q_PROPERTY(QString version READ version CONSTANT)
    Q_PROPERTY(QString kernel READ kernel CONSTANT)
    Q_PROPERTY(QString stateFolder READ state_folder CONSTANT)
    Q_PROPERTY(bool seen READ seen WRITE set_seen NOTIFY seenChanged) // a window of ours can be seen: look often
public:
    explicit App(const Place& place, QObject* parent = nullptr);
    ~App() override;
    // The one that main() made; QML asks for it by this name.
    static App* create(QQmlEngine* engine, QJSEngine* script);

    SessionsModel* sessions() { return &sessions_; }
    StartModel* start() { return start_; }
    ChecksModel* checks() { return checks_; }
    QString version() const;
    QString kernel() const;
    QString state_folder() const;
    bool seen() const { return seen_; }
    void set_seen(bool seen);

    // The folder that somebody opened the window with, or a second start of it brought.
    Q_INVOKABLE void open_folder(const QString& folder);

    Q_INVOKABLE void stop(const QString& id, bool force = false) { emit wants_stop(id, force); }
    Q_INVOKABLE void rename(const QString& id, const QString& name) { emit wants_rename(id, name); }
    Q_INVOKABLE void remove(const QString& id) { emit wants_remove(id); }

signals:
    void seenChanged();
    void folderOpened(const QString& folder);
    void raised(); // by a second start
    // Of what was asked of a session; `error` empty: it went well.
    void done(const QString& id, const QString& what, const QString& error);
    // To the watch.
    void wants_stop(const QString& id, bool force);
    void wants_rename(const QString& id, const QString& name);
    void wants_remove(const QString& id);
    void wants_pace(int milliseconds);

private:
    // Each in a thread of its own: a start may take a second, and the lists go on meanwhile.
    QThread watching_, starting_, checking_;
    Place place_;
    SessionsModel sessions_;
    StartModel* start_;
    ChecksModel* checks_;
    bool seen_ = true;
};

} // namespace belljar
