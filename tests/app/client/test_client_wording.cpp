// Words and numbers as people read them.
#include "app/client/wording.h"

#include "core/record/lifecycle.h"

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

    void a_line_is_split_as_a_shell_would_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("nothing") << "  \t " << QStringList();
        QTest::newRow("blanks") << " claude  -p x " << QStringList({"claude", "-p", "x"});
        QTest::newRow("single quotes") << "sh -c 'echo \"a  b\"'" << QStringList({"sh", "-c", "echo \"a  b\""});
        QTest::newRow("double quotes") << "a \"b \\\"c\\\" \\d\" e" << QStringList({"a", "b \"c\" \\d", "e"});
        QTest::newRow("an empty word") << "a '' \"\"" << QStringList({"a", "", ""});
        QTest::newRow("glued") << "a'b c'\"d\"\\ e" << QStringList({"ab cd e"});
        QTest::newRow("nothing is expanded") << "echo $HOME *" << QStringList({"echo", "$HOME", "*"});
    }
    void a_line_is_split_as_a_shell_would() {
        QFETCH(QString, line);
        const auto words = split_command_line(line.toStdString());
        QVERIFY(words);
        QStringList got;
        for (const std::string& word : *words)
            got << QString::fromStdString(word);
        QTEST(got, "words");
    }
    void what_a_quote_does_not_close_is_no_line() {
        for (const char* line : {"a 'b", "a \"b", "a \\"})
            QVERIFY2(!split_command_line(line), line);
    }
    void splitting_undoes_the_writing_of_a_command_line() {
        const std::vector<std::string> argv{"sh", "-c", "it's \"so\" $x \\", "", "a b", "\n"};
        QCOMPARE(*split_command_line(command_line(argv)), argv);
    }

    void a_date_is_utc_and_rfc_3339() { QCOMPARE(in_date(1'900'000'000'999'999), std::string("2030-03-17T17:46:40Z")); }
};
QTEST_GUILESS_MAIN(TestWording)
#include "test_client_wording.moc"
