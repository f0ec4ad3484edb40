// How the window writes numbers, times and what others named.
#include "app/desktop/look/words.h"

#include <QDateTime>
#include <QLocale>
#include <QtTest>
#include <limits>

using namespace belljar;

class TestLookWords : public QObject {
    Q_OBJECT
    Words words_;

private slots:
    void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void sizes_and_counts_follow_the_language() {
        QCOMPARE(words_.bytes(12345), QStringLiteral("12.3 kB"));
        QCOMPARE(words_.count(1234567), QStringLiteral("1,234,567"));
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        QCOMPARE(words_.bytes(12345), QStringLiteral("12,3 kB"));
        QCOMPARE(words_.count(1234567), QStringLiteral("1.234.567"));
    }

    void what_is_no_count_is_zero() {
        QCOMPARE(words_.count(-3), QStringLiteral("0"));
        QCOMPARE(words_.count(std::numeric_limits<double>::quiet_NaN()), QStringLiteral("0"));
        QCOMPARE(words_.bytes(std::numeric_limits<double>::infinity()), words_.bytes(9007199254740992.0));
        QCOMPARE(words_.span(std::numeric_limits<double>::quiet_NaN()), QStringLiteral("0 ms"));
    }

    void an_age_is_coarse_and_a_span_exact_data() {
        QTest::addColumn<double>("ms");
        QTest::addColumn<QString>("age");
        QTest::addColumn<QString>("span");
        QTest::newRow("before it began") << -5.0 << "0 s" << "0 ms";
        QTest::newRow("under a second") << 999.0 << "0 s" << "999 ms";
        QTest::newRow("seconds") << 59'900.0 << "59 s" << "59.9 s";
        QTest::newRow("minutes") << 2'312'000.0 << "38 min" << "38 min 32 s";
        QTest::newRow("hours") << 4'320'000.0 << "1 h 12 min" << "1 h 12 min";
        QTest::newRow("days") << 273'600'000.0 << "3 d 4 h" << "3 d 4 h";
    }
    void an_age_is_coarse_and_a_span_exact() {
        QFETCH(double, ms);
        QTEST(words_.age(ms), "age");
        QTEST(words_.span(ms), "span");
    }

    void a_time_of_the_last_day_is_a_clock_time_an_older_one_a_date() {
        const QDateTime time(QDate(2024, 5, 6), QTime(14, 32, 7));
        const double at = static_cast<double>(time.toMSecsSinceEpoch());
        QCOMPARE(words_.clock(at), QStringLiteral("14:32:07"));
        QCOMPARE(words_.when(at, at + 1000), QStringLiteral("14:32:07"));
        QCOMPARE(words_.when(at, at + 90'000'000), QStringLiteral("2024-05-06 14:32"));
        QCOMPARE(words_.when(at, at - 5000), QStringLiteral("2024-05-06 14:32")); // from a clock that was set back
    }

    void what_hides_is_shown_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::newRow("an ordinary name") << "release-notes" << "release-notes";
        QTest::newRow("an override") << QStringLiteral("a\u202egnp.exe") << QStringLiteral("a\\u202egnp.exe");
        QTest::newRow("an escape") << QStringLiteral("\x1b[31m") << QStringLiteral("\\u001b[31m");
        QTest::newRow("lines") << "a\nb\tc" << "a\\nb\\tc";
        QTest::newRow("no width") << QStringLiteral("a\u200bb") << QStringLiteral("a\\u200bb");
        QTest::newRow("half a character") << QString(QChar(0xd83d)) << QStringLiteral("\\ud83d");
        QTest::newRow("an invisible tag") << QString::fromUcs4(U"\U000e0041") << QStringLiteral("\\U000e0041");
        QTest::newRow("a picture") << QString::fromUcs4(U"\U0001f980") << QString::fromUcs4(U"\U0001f980");
        QTest::newRow("leftward") << QStringLiteral("\u05d0\u05d1") << QStringLiteral("\u2068\u05d0\u05d1\u2069");
        QTest::newRow("a pile of marks") << "e" + QString(500, QChar(0x0301)) << "e" + QString(4, QChar(0x0301));
    }
    void what_hides_is_shown() {
        QFETCH(QString, text);
        QTEST(words_.visible(text), "shown");
    }

    void a_name_of_any_length_stays_short() {
        QVERIFY(words_.visible(QString(10'000, u'x')).size() <= 513);
        QVERIFY(words_.visible(QString(10'000, QChar(0x202e))).size() <= 520);
        QCOMPARE(words_.visible(QStringLiteral("abcdef"), 3), QStringLiteral("abc\u2026"));
    }

    void hosts_keep_their_end_and_paths_both() {
        QCOMPARE(words_.elided_left(QStringLiteral("a.very.long.name.example.com"), 12), QStringLiteral("\u2026example.com"));
        QCOMPARE(words_.elided_middle(QStringLiteral("/home/me/src/thing"), 9), QStringLiteral("/hom\u2026hing"));
        QCOMPARE(words_.elided_left(QStringLiteral("short"), 5), QStringLiteral("short"));
        QCOMPARE(words_.elided_middle(QStringLiteral("short"), 0), QStringLiteral("short"));
    }

    void no_cut_goes_through_a_character() {
        const QString crab = QString::fromUcs4(U"\U0001f980");
        for (int most = 2; most < 20; ++most) {
            for (const QString& cut : {words_.elided_left(crab.repeated(12), most), words_.elided_middle(crab.repeated(12), most)}) {
                QVERIFY2(cut.isValidUtf16() && cut.size() <= most, qPrintable(QStringLiteral("%1: %2").arg(most).arg(cut)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestLookWords)
#include "test_look_words.moc"
