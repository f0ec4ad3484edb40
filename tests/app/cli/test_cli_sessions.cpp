// ls, show, stop and rm on sessions that others left behind.
#include "tests/app/cli/belljar_program.h"

#include <fcntl.h>
#include <unistd.h>

using namespace belljar::test;

class TestSessions : public QObject {
    Q_OBJECT
    std::unique_ptr<BelljarProgram> belljar_;

private slots:
    void init() {
        belljar_ = std::make_unique<BelljarProgram>();
        belljar_->add_session("aaaaaaaaaaa1", "first", true);
        belljar_->add_session("bbbbbbbbbbb2", "second", false); // its supervisor died
    }

    void nothing_runs_unless_all_are_asked_for() {
        const Ended plain = belljar_->run({"ls"});
        QCOMPARE(plain.status, 0);
        QVERIFY(plain.out.isEmpty());
        QVERIFY2(plain.err.contains("--all"), plain.err.constData());
        QCOMPARE(belljar_->run({"ls", "--json"}).json().array().size(), 0);
    }
    void all_are_listed_and_the_lost_one_is_shown_as_lost() {
        const Ended text = belljar_->run({"ls", "--all"});
        QCOMPARE(text.status, 0);
        QVERIFY2(text.out.startsWith("ID "), text.out.constData());
        QVERIFY(text.out.contains("lost") && text.out.contains("ended 3"));
        QVERIFY(!text.out.contains('\033'));
        const QJsonArray rows = belljar_->run({"ls", "--all", "--json"}).json().array();
        QCOMPARE(rows.size(), 2);
        for (const QJsonValue& row : rows) {
            const bool first = row["name"] == "first";
            QCOMPARE(row["state"].toString(), QString(first ? "ended" : "lost"));
            QCOMPARE(row["sealed"].toBool(), first);
            QCOMPARE(row["status"].isNull(), !first);
            QCOMPARE(row["totals"]["calls_denied"].toInt(), 2);
        }
    }
    void a_machine_without_sessions_is_no_error() {
        const Ended none = belljar_->run({"ls", "--all"}, {}, {{"BELLJAR_STATE_DIR", belljar_->path("nothing")}});
        QCOMPARE(none.status, 0);
        QVERIFY(!QFileInfo::exists(belljar_->path("nothing")));
    }

    void a_session_is_shown_by_prefix_and_by_name_data() {
        QTest::addColumn<QString>("word");
        QTest::newRow("its id") << "aaaaaaaaaaa1";
        QTest::newRow("a prefix") << "a";
        QTest::newRow("its name") << "first";
    }
    void a_session_is_shown_by_prefix_and_by_name() {
        QFETCH(QString, word);
        const Ended text = belljar_->run({"show", word});
        QCOMPARE(text.status, 0);
        QVERIFY2(text.out.contains("first (aaaaaaaaaaa1)") && text.out.contains("enforced") &&
                     text.out.contains("sealed"),
                 text.out.constData());
        const QJsonDocument json = belljar_->run({"show", word, "--json"}).json();
        QCOMPARE(json["id"].toString(), QString("aaaaaaaaaaa1"));
        QCOMPARE(json["started"]["kind"].toString(), QString("session-started"));
        QCOMPARE(json["ended"]["status"].toInt(), 3);
    }
    void what_a_session_says_of_itself_does_not_steer_the_terminal() {
        belljar_->add_session("ccccccccccc3", "third", true, 1, "\033]0;owned\007\u009b2J\u202e");
        for (const QStringList& words : {QStringList{"ls", "--all"},
                                         {"show", "third"},
                                         {"audit", "show", "third"},
                                         {"ls", "--all", "--json"},
                                         {"show", "third", "--json"},
                                         {"audit", "show", "third", "--json"}}) {
            const Ended ended = belljar_->run(words);
            QCOMPARE(ended.status, 0);
            QVERIFY2(ended.out.contains("owned"), qPrintable(words.join(' ')));
            for (const char* bad : {"\033", "\007", "\xc2\x9b", "\u202e"})
                QVERIFY2(!ended.out.contains(bad), qPrintable(words.join(' ')));
        }
    }

    void what_does_not_run_cannot_be_stopped() {
        const Ended ended = belljar_->run({"stop", "first", "second", "nosuch"});
        QCOMPARE(ended.status, 1);
        QCOMPARE(ended.err.count('\n'), 3);
        QVERIFY2(ended.err.contains("has ended") && ended.err.contains("is lost"), ended.err.constData());
        QCOMPARE(belljar_->run({"stop", "first", "--json"}).json()[0]["stopped"].toBool(), false);
    }

    void removal_takes_folders_and_row() {
        const Ended removed = belljar_->run({"rm", "-f", "first", "b"});
        QCOMPARE(removed.status, 0);
        QVERIFY(removed.out.contains("removed first (aaaaaaaaaaa1)"));
        for (const char* id : {"aaaaaaaaaaa1", "bbbbbbbbbbb2"}) {
            QVERIFY(!QFileInfo::exists(belljar_->session_folder(id)));
            QVERIFY(!QFileInfo::exists(belljar_->path(QString("run/") + id)));
        }
        QCOMPARE(belljar_->run({"ls", "--all", "--json"}).json().array().size(), 0);
        QCOMPARE(belljar_->run({"rm", "-f", "first"}).status, 1);
    }
    void removal_asks_and_without_anybody_there_does_nothing() {
        const Ended asked = belljar_->run({"rm", "first"}, "y\n");
        QCOMPARE(asked.status, 1);
        QVERIFY2(asked.err.contains("rm -f"), asked.err.constData());
        QVERIFY(QFileInfo::exists(belljar_->session_folder("aaaaaaaaaaa1")));
    }
    void what_runs_is_not_removed() {
        const int lock =
            ::open((belljar_->session_folder("bbbbbbbbbbb2") + "/lock").toUtf8().constData(), O_RDWR | O_CLOEXEC);
        QVERIFY(lock >= 0);
        QCOMPARE(::flock(lock, LOCK_EX), 0); // as its supervisor would
        const Ended refused = belljar_->run({"rm", "-f", "second"});
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.err.contains("running"), refused.err.constData());
        QVERIFY(QFileInfo::exists(belljar_->session_folder("bbbbbbbbbbb2") + "/record.db"));
        QCOMPARE(belljar_->run({"ls", "--json"}).json()[0]["state"].toString(), QString("running"));
        const Ended stop = belljar_->run({"stop", "second"});
        QCOMPARE(stop.status, 1);
        QVERIFY2(stop.err.contains("does not answer"), stop.err.constData());
        ::close(lock);
    }
};
QTEST_GUILESS_MAIN(TestSessions)
#include "test_cli_sessions.moc"
