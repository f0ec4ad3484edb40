// What is near enough to be suggested, and what is not.
#include "app/cli/nearest.h"

#include <QtTest>

using belljar::cli::nearest;

class TestNearest : public QObject {
    Q_OBJECT
private slots:
    void a_slip_finds_its_word_data() {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("expected");
        QTest::newRow("a letter missing") << "--alow"
                                          << "--allow";
        QTest::newRow("two letters swapped") << "--alolw"
                                             << "--allow";
        QTest::newRow("a letter too many") << "--detacch"
                                           << "--detach";
        QTest::newRow("the beginning alone") << "--det"
                                             << "--detach";
        QTest::newRow("nothing like it") << "--frobnicate"
                                         << "";
        QTest::newRow("nothing at all") << ""
                                        << "";
        QTest::newRow("longer than any word") << QString(100, 'x') << "";
    }
    void a_slip_finds_its_word() {
        QFETCH(QString, word);
        QFETCH(QString, expected);
        const auto found = nearest(word.toStdString(), {"--allow", "--detach", "--read"});
        QCOMPARE(QString::fromStdString(found.value_or("")), expected);
    }
};
QTEST_GUILESS_MAIN(TestNearest)
#include "test_cli_nearest.moc"
