// Words and numbers as people read them.
#include "app/client/wording.h"

#include <QtTest>

using namespace belljar;

class TestWording : public QObject {
    Q_OBJECT
private slots:
    void bytes_data() {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << quint64(0) << "0 B";
        QTest::newRow("below a thousand") << quint64(999) << "999 B";
        QTest::newRow("a thousand") << quint64(1000) << "1.0 kB";
        QTest::newRow("rounding goes on to the next unit") << quint64(999'999) << "1.0 MB";
        QTest::newRow("the most there can be") << ~quint64(0) << "18.4 EB";
    }
    void bytes() {
        QFETCH(quint64, bytes);
        QTEST(QString::fromStdString(in_bytes(bytes)), "text");
    }

    void time_data() {
        QTest::addColumn<qint64>("microseconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("a clock that went back") << qint64(-5) << "0 ms";
        QTest::newRow("milliseconds") << qint64(4'999) << "4 ms";
        QTest::newRow("seconds, not rounded up to a minute") << qint64(59'999'999) << "59.9 s";
        QTest::newRow("minutes") << qint64(312'000'000) << "5 min 12 s";
        QTest::newRow("hours") << qint64(3'600'000'000 * 3 + 240'000'000) << "3 h 04 min";
        QTest::newRow("days") << qint64(3'600'000'000 * 49) << "2 d 1 h";
    }
    void time() {
        QFETCH(qint64, microseconds);
        QTEST(QString::fromStdString(in_time(microseconds)), "text");
    }

    void a_date_is_utc_and_rfc_3339() { QCOMPARE(in_date(1'900'000'000'999'999), std::string("2030-03-17T17:46:40Z")); }
};
QTEST_GUILESS_MAIN(TestWording)
#include "test_client_wording.moc"
