// Bytes by host over the last 1, 10 or 60 minutes, in bins: the four hosts with the most, and the rest as one.
// The record knows the bytes of a connection when it closes; they are spread evenly over its time.
#pragma once

#include "app/desktop/events/event_question.h"

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <QtQml/qqmlregistration.h>

namespace belljar {

class TrafficSeries : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(int minutes MEMBER minutes_ NOTIFY spanChanged)
    Q_PROPERTY(qint64 untilMs MEMBER until_ms_ NOTIFY spanChanged) // where the span ends; 0: now
    Q_PROPERTY(bool frozen MEMBER frozen_ NOTIFY spanChanged)
    Q_PROPERTY(QStringList hosts READ hosts NOTIFY changed) // the most first; an empty name, the last one: the rest
    Q_PROPERTY(qint64 sinceMs READ sinceMs NOTIFY changed)
    Q_PROPERTY(int binMs READ binMs NOTIFY changed)
    Q_PROPERTY(QString error READ error NOTIFY changed)
public:
    static constexpr int kTop = 4;
    explicit TrafficSeries(QObject* parent = nullptr);

    const QStringList& hosts() const { return hosts_; }
    qint64 sinceMs() const { return since_ms_; }
    int binMs() const { return bin_ms_; }
    const QString& error() const { return error_; }
    Q_INVOKABLE QList<double> bytesPerSecond(int host) const { return lines_.value(host); }
    bool asked_by_this(const EventAnswer& answer) const { return answer.asker == latest_; }

public slots:
    void opened(const QString& id, quint64 last, bool sealed);
    void grown(quint64 last, bool sealed);
    void take(const belljar::EventAnswer& answer);

signals:
    void asks(const belljar::EventQuestion& question);
    void spanChanged();
    void changed();

private:
    void ask();

    int minutes_ = 10, bin_ms_ = 0;
    qint64 until_ms_ = 0, since_ms_ = 0;
    bool frozen_ = false, open_ = false, asking_ = false;
    quint64 token_ = 0;
    QStringList hosts_;
    QList<QList<double>> lines_;
    QString error_;
    QTimer soon_; // no more than one question a second
    std::shared_ptr<std::atomic<quint64>> latest_ = std::make_shared<std::atomic<quint64>>(0);
};

} // namespace belljar
