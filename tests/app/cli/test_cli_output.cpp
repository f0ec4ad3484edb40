// Words and numbers as people read them, and nothing in them that a terminal would obey.
#include "app/cli/output.h"

#include <QtTest>
#include <unistd.h>

using namespace belljar::cli;

class TestOutput : public QObject {
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

    void a_table_lines_up_and_shows_what_would_steer_a_terminal() {
        const std::string text = table({"ID", "NAME"}, {{{"1"}, {"a\033[2Jb"}}, {{"22"}, {"c"}}}, false);
        QCOMPARE(text, std::string("ID  NAME\n1   a\\x1b[2Jb\n22  c\n"));
    }
    void a_table_counts_letters_and_not_bytes() {
        QCOMPARE(table({"N", "X"}, {{{"é"}, {"1"}}, {{"ab"}, {"2"}}}, false), std::string("N   X\né   1\nab  2\n"));
    }
    void colours_stand_only_where_they_are_wanted() {
        QCOMPARE(tinted("x", Tint::Bad, false), std::string("x"));
        QCOMPARE(tinted("x", Tint::Bad, true), std::string("\033[31mx\033[0m"));
        QCOMPARE(tinted("x", Tint::None, true), std::string("x"));
    }
    void a_pipe_gets_no_colours() {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        QVERIFY(!wants_colour(ends[1]));
    }
};
QTEST_GUILESS_MAIN(TestOutput)
#include "test_cli_output.moc"
