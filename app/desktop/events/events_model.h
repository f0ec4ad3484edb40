// A bounded window over a record, newest first: what was read last is in memory, older events are read when a view scrolls there
// (fetchMore). New events come in at the head while the view follows; while it does not they only count as "new". Rows never
// change their order under a view and are never reset for new ones, so selection and scroll place survive.
#pragma once

#include "app/desktop/events/event_question.h"

#include <QAbstractTableModel>
#include <QtQml/qqmlregistration.h>
#include <deque>

namespace belljar {

class EventsModel : public QAbstractTableModel {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(QString verdict MEMBER verdict_ NOTIFY filterChanged)
    Q_PROPERTY(QString host MEMBER host_ NOTIFY filterChanged)
    Q_PROPERTY(QString process MEMBER process_ NOTIFY filterChanged)
    Q_PROPERTY(QString text MEMBER text_ NOTIFY filterChanged)
    Q_PROPERTY(QString sortBy MEMBER sort_by_ NOTIFY filterChanged) // newest, host, process, verdict, rule
    Q_PROPERTY(bool frozen MEMBER frozen_ NOTIFY holdChanged)
    Q_PROPERTY(bool held MEMBER held_ NOTIFY holdChanged) // the view is scrolled, or a row of it selected or pressed
    Q_PROPERTY(quint64 newCount READ newCount NOTIFY stateChanged)
    Q_PROPERTY(bool loading READ loading NOTIFY stateChanged)
    Q_PROPERTY(QString error READ error NOTIFY stateChanged)
public:
    enum Role { SeqRole = Qt::UserRole, TimeRole, KindRole, ProcessRole, ArgumentsRole, PidRole, HostRole, PortRole, VerdictRole,
                RuleRole, ReasonRole, SentRole, ReceivedRole, DurationRole, CountRole, ConnRole, OpenRole, SentenceRole };
    Q_ENUM(Role)
    enum Column { Time, Process, Host, Verdict, Rule, Sent, Received, Duration, Columns };
    static constexpr int kMostRows = 20'000;

    EventsModel(std::vector<std::string> kinds, QObject* parent);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

    quint64 newCount() const { return new_; }
    bool loading() const { return paging_; }
    const QString& error() const { return error_; }
    Q_INVOKABLE int row_of(quint64 seq) const; // -1: it is not in memory
    // Reads what is held back, whatever holds it; in another order than by time, everything anew.
    Q_INVOKABLE void showNew();
    Q_INVOKABLE void reload();

    bool asked_by_this(const EventAnswer& answer) const { return answer.asker == latest_; }

public slots:
    void opened(const QString& id, quint64 last, bool sealed);
    void grown(quint64 last, bool sealed);
    void take(const belljar::EventAnswer& answer);

signals:
    void asks(const belljar::EventQuestion& question);
    void filterChanged();
    void holdChanged();
    void stateChanged();

private:
    EventQuestion question(EventQuestion::What what) const;
    EventOrder order() const;
    void ask_for_new(bool show);
    void append(const EventAnswer& answer);
    void prepend(const EventAnswer& answer);
    void close(const std::map<std::uint64_t, ConnectionEnd>& ends, quint64 up_to);
    void remove_from(int first);

    std::vector<std::string> kinds_;
    std::deque<EventRow> rows_;
    QString verdict_, host_, process_, text_, sort_by_ = QStringLiteral("newest"), error_;
    bool frozen_ = false, held_ = false, more_ = false, paging_ = false, asking_new_ = false;
    quint64 token_ = 0, new_ = 0, last_ = 0, asked_ = 0; // last_: of the record; asked_: up to where it was last looked for new ones
    quint64 shown_to_ = 0, ends_to_ = 0;
    std::shared_ptr<std::atomic<quint64>> latest_ = std::make_shared<std::atomic<quint64>>(0);
    EventCursor next_;
};

// Connections: an `egress` event and its `egress-closed` are one row.
class EgressModel : public EventsModel {
    Q_OBJECT
    QML_ELEMENT
public:
    explicit EgressModel(QObject* parent = nullptr) : EventsModel({"egress"}, parent) {}
};

// Every event.
class TimelineModel : public EventsModel {
    Q_OBJECT
    QML_ELEMENT
public:
    explicit TimelineModel(QObject* parent = nullptr) : EventsModel({}, parent) {}
};

} // namespace belljar
