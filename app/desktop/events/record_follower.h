// Reads one session's record in a thread of its own, so that the window's thread never waits for SQLite. Answers what the models
// ask, and says when the record has grown: at once after a quiet moment, else four times a second.
#pragma once

#include "app/desktop/events/event_question.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace belljar {

class RecordFollower : public QObject {
    Q_OBJECT
public:
    // Lives in the thread it is moved to. `sessions`: the folder that has a folder for each session.
    explicit RecordFollower(std::string sessions);

    // From any thread: what is asked or being read is left. To be called before the thread is waited for.
    void give_up() { given_up_ = true; }

public slots:
    void open(const QString& id);
    void ask(const belljar::EventQuestion& question);

signals:
    void opened(const QString& id, quint64 last, bool sealed);
    // In words: missing, damaged, newer or not readable.
    void failed(const QString& id, const QString& sentence);
    void grew(quint64 last, bool sealed);
    void answered(const belljar::EventAnswer& answer);

private:
    void look();
    void look_soon();
    Status answer(const EventQuestion& question, EventAnswer& out);

    std::string sessions_;
    std::unique_ptr<RecordQuery> query_;
    std::atomic<bool> given_up_ = false;
    QFileSystemWatcher* changes_ = nullptr;
    QTimer *pause_ = nullptr, *slow_ = nullptr; // between two looks; and for where the kernel does not say what changed
    bool again_ = false;
    quint64 last_ = 0;
};

} // namespace belljar
