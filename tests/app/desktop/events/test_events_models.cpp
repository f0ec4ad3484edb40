// The models over real records, read by a follower in its own thread.
#include "app/desktop/events/denials_model.h"
#include "app/desktop/events/events_model.h"
#include "app/desktop/events/follow.h"
#include "app/desktop/events/traffic_series.h"
#include "tests/core/record/sample_record.h"

#include <QAbstractItemModelTester>
#include <QThread>

using namespace belljar;
using namespace belljar::test;

namespace {

NewEvent allowed(int conn, const std::string& host) {
    NewEvent event = denied(conn, host);
    event.fields["verdict"] = "allowed";
    return event;
}
NewEvent closed(int conn) {
    return {"egress-closed", {{"conn", conn}, {"bytes_sent", 100}, {"bytes_received", 200}, {"duration_ms", 1000}}, 1'900'000'008'000'000};
}

// A follower in a thread that ends with it.
struct Reading {
    explicit Reading(const QTemporaryDir& folder) : follower(folder.path().toStdString()) {
        follower.moveToThread(&thread);
        thread.start();
    }
    ~Reading() {
        follower.give_up();
        QMetaObject::invokeMethod(&follower, [this] { follower.moveToThread(home); }, Qt::BlockingQueuedConnection);
        thread.quit();
        thread.wait();
    }
    void open(const char* id = kId) { QMetaObject::invokeMethod(&follower, "open", Q_ARG(QString, QString(id))); }
    QThread thread;
    QThread* home = QThread::currentThread();
    RecordFollower follower;
};

} // namespace

class TestEventsModels : public QObject {
    Q_OBJECT
    static std::unique_ptr<RecordWriter> writer(const QTemporaryDir& folder) {
        const std::string where = folder.path().toStdString() + "/" + kId;
        ::mkdir(where.c_str(), 0700);
        auto made = RecordWriter::create(where, kId, started());
        if (!made) qFatal("%s", made.error().message().c_str());
        return std::move(*made);
    }
    static QVariant at(const QAbstractItemModel& model, int row, int role) { return model.index(row, 0).data(role); }

private slots:
    void a_connection_and_its_end_are_one_row() {
        const QTemporaryDir folder;
        auto record = writer(folder);
        QVERIFY(record->append(allowed(7, "cdn.test")).has_value());
        Reading reading(folder);
        EgressModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        follow(reading.follower, model);
        reading.open();
        QTRY_COMPARE(model.rowCount(), 1);
        QCOMPARE(at(model, 0, EventsModel::OpenRole).toBool(), true);
        QVERIFY(record->append(closed(7)).has_value());
        QTRY_COMPARE(at(model, 0, EventsModel::OpenRole).toBool(), false);
        QCOMPARE(at(model, 0, EventsModel::ReceivedRole).toULongLong(), 200ULL);
        QCOMPARE(model.rowCount(), 1);
    }

    void new_rows_come_at_the_head_and_leave_a_selection_where_it_was() {
        const QTemporaryDir folder;
        auto record = writer(folder);
        QVERIFY(record->append(denied(1)).has_value());
        Reading reading(folder);
        EgressModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        follow(reading.follower, model);
        reading.open();
        QTRY_COMPARE(model.rowCount(), 1);
        const QPersistentModelIndex selected(model.index(0, 0));
        for (int i = 2; i < 40; ++i)
            QVERIFY(record->append(denied(i)).has_value());
        QTRY_COMPARE(model.rowCount(), 39);
        QCOMPARE(selected.data(EventsModel::SeqRole).toULongLong(), 2ULL);
        QCOMPARE(selected.row(), 38);
        QCOMPARE(resets.count(), 0);
    }

    void what_is_held_back_is_counted_and_shown_when_asked_for() {
        const QTemporaryDir folder;
        auto record = writer(folder);
        Reading reading(folder);
        EgressModel model;
        follow(reading.follower, model);
        reading.open();
        QTRY_VERIFY(!model.loading());
        QSignalSpy opened(&model, &EventsModel::stateChanged);
        model.reload();
        QTRY_VERIFY(opened.count() >= 2);
        model.setProperty("held", true);
        for (int i = 0; i < 12; ++i)
            QVERIFY(record->append(denied(i)).has_value());
        QTRY_COMPARE(model.newCount(), 12ULL);
        QCOMPARE(model.rowCount(), 0);
        model.showNew();
        QTRY_COMPARE(model.rowCount(), 12);
        QCOMPARE(model.newCount(), 0ULL);
    }

    void older_events_are_read_on_scroll_until_the_first_one() {
        const QTemporaryDir folder;
        make_record(folder.path().toStdString() + "/" + kId, 700, true);
        Reading reading(folder);
        TimelineModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        follow(reading.follower, model);
        reading.open();
        QTRY_VERIFY(model.rowCount() >= 200);
        for (int i = 0; i < 10 && model.rowCount() < 700; ++i) {
            model.fetchMore({});
            QTRY_VERIFY(!model.loading());
        }
        QCOMPARE(model.rowCount(), 700);
        QVERIFY(!model.canFetchMore({}));
        for (int i = 0; i < 700; ++i)
            QCOMPARE(at(model, i, EventsModel::SeqRole).toULongLong(), quint64(700 - i));
        QVERIFY(at(model, 0, EventsModel::SentenceRole).toString().contains("ended"));
    }

    void a_filter_and_an_order_are_asked_of_the_record() {
        const QTemporaryDir folder;
        auto record = writer(folder);
        for (int i = 0; i < 6; ++i)
            QVERIFY(record->append(denied(i, i % 2 == 0 ? "b.test" : "a\u202e.test")).has_value());
        Reading reading(folder);
        EgressModel model;
        follow(reading.follower, model);
        reading.open();
        QTRY_COMPARE(model.rowCount(), 6);
        model.setProperty("host", "B.TEST");
        QTRY_COMPARE(model.rowCount(), 3);
        model.setProperty("host", "");
        model.setProperty("sortBy", "host");
        QTRY_COMPARE(model.rowCount(), 6);
        QVERIFY(at(model, 0, EventsModel::HostRole).toString().startsWith("a"));
        QCOMPARE(at(model, 5, EventsModel::HostRole).toString(), QString("b.test"));
    }

    void denials_count_up_in_place() {
        const QTemporaryDir folder;
        auto record = writer(folder);
        QVERIFY(record->append(denied(1, "one.test")).has_value());
        Reading reading(folder);
        DenialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        follow(reading.follower, model);
        reading.open();
        QTRY_COMPARE(model.rowCount(), 1);
        QVERIFY(record->append(denied(2, "one.test")).has_value());
        QVERIFY(record->append({"syscall-denied", {{"syscall", "bpf"}, {"count", 5}}}).has_value());
        QTRY_COMPARE(model.total(), 7ULL);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(at(model, 0, DenialsModel::CountRole).toULongLong(), 2ULL);
        QCOMPARE(at(model, 1, DenialsModel::WhatRole).toString(), QString("bpf"));
    }

    void beyond_four_hosts_there_is_the_rest() {
        const QTemporaryDir folder;
        auto record = writer(folder);
        for (int i = 1; i <= 6; ++i) {
            QVERIFY(record->append(allowed(i, fmt::format("h{}.test", i))).has_value());
            QVERIFY(record->append(closed(i)).has_value());
        }
        Reading reading(folder);
        TrafficSeries series;
        series.setProperty("minutes", 1);
        series.setProperty("untilMs", 1'900'000'010'000LL);
        follow(reading.follower, series);
        reading.open();
        QTRY_COMPARE(series.hosts().size(), 5);
        QCOMPARE(series.hosts().last(), QString());
        QCOMPARE(series.bytesPerSecond(0).size(), 60);
        QCOMPARE(series.bytesPerSecond(0)[57], 300.0);
        QCOMPARE(series.bytesPerSecond(4)[57], 600.0);
    }

    void a_record_that_is_not_there_or_foreign_is_said_in_words() {
        const QTemporaryDir folder;
        Reading reading(folder);
        QSignalSpy failed(&reading.follower, &RecordFollower::failed);
        reading.open("nothing");
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(failed[0][1].toString().contains("record.db"));
        reading.open("../x");
        QTRY_COMPARE(failed.count(), 2);
        QVERIFY(QDir(folder.path()).mkdir("odd"));
        QFile file(folder.path() + "/odd/record.db");
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(5000, 'x')) == 5000);
        file.close();
        reading.open("odd");
        QTRY_COMPARE(failed.count(), 3);
        QVERIFY(failed[2][1].toString().contains("not an SQLite database"));
    }
};

QTEST_GUILESS_MAIN(TestEventsModels)
#include "test_events_models.moc"
