// Looks at the sessions of this user in a thread of its own, so that the window's thread never waits for a file, the index or
// a socket. What it finds goes out as a whole list, at most once for each look; what is asked of it is answered by a signal.
#pragma once

#include "app/client/place.h"
#include "core/varlink/client.h"

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belljar {

using SessionRows = std::vector<SessionRow>;

class SessionWatch : public QObject {
    Q_OBJECT
public:
    // Lives in the thread it is moved to; nothing is touched before begin().
    explicit SessionWatch(Place place);
    ~SessionWatch() override;

public slots:
    void begin();
    // Milliseconds between two looks: fewer while the window is seen.
    void set_pace(int milliseconds);
    void look();
    // Each ends with done() for that id: what was asked, and why it failed, or an empty text.
    void stop(const QString& id, bool force);
    void rename(const QString& id, const QString& name);
    void remove(const QString& id);

signals:
    // Newest first. `notice`: what is wrong with the index, as a sentence; empty: nothing.
    void seen(const belljar::SessionRows& rows, const QString& notice);
    void done(const QString& id, const QString& what, const QString& error);

private:
    Result<SessionIndex*> index();
    void ask_for_live_totals(SessionRows& rows);
    // Runs `what` on the session's row as the index knows it now.
    void act(const QString& id, const QString& what, const std::function<Status(const SessionRow&)>& action);

    Place place_;
    std::optional<SessionIndex> index_;
    std::map<std::string, varlink::Client> live_; // by id, to the sessions that run
    QTimer* timer_ = nullptr;
};

} // namespace belljar

Q_DECLARE_METATYPE(belljar::SessionRows)
