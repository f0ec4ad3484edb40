// audit show, verify and export on records of every state.
#include "tests/app/cli/belljar_program.h"

using namespace belljar::test;

class TestAudit : public QObject {
    Q_OBJECT
    std::unique_ptr<BelljarProgram> belljar_;
    QString record_of(const QString& id) const { return belljar_->session_folder(id) + "/record.db"; }

private slots:
    void init() {
        belljar_ = std::make_unique<BelljarProgram>();
        belljar_->add_session("aaaaaaaaaaa1", "first", true, 3);
        belljar_->add_session("bbbbbbbbbbb2", "second", false, 3);
    }

    void a_record_is_told_in_words_and_as_json_lines() {
        const Ended words = belljar_->run({"audit", "show", "first"});
        QCOMPARE(words.status, 0);
        QCOMPARE(words.out.count('\n'), 5);
        QVERIFY2(words.out.contains("mount"), words.out.constData());
        const Ended lines = belljar_->run({"audit", "show", "first", "--json"});
        const QList<QByteArray> events = lines.out.trimmed().split('\n');
        QCOMPARE(events.size(), 5);
        for (int i = 0; i < events.size(); ++i)
            QCOMPARE(QJsonDocument::fromJson(events[i])["seq"].toInt(), i + 1);
    }
    void following_what_has_ended_ends() {
        QCOMPARE(belljar_->run({"audit", "show", "first", "--follow"}).out.count('\n'), 5);
        QCOMPARE(belljar_->run({"audit", "show", "second", "--follow"}).out.count('\n'), 4);
    }

    void the_state_is_the_exit_status() {
        QCOMPARE(belljar_->run({"audit", "verify", "first"}).status, 0);
        QCOMPARE(belljar_->run({"audit", "verify", "second"}).status, 2);
        QCOMPARE(belljar_->run({"audit", "verify", "nosuch"}).status, 3);
        QCOMPARE(belljar_->run({"audit", "verify", "first", "second", "nosuch"}).status, 3);
        const QJsonDocument json = belljar_->run({"audit", "verify", "first", "second", "--json"}).json();
        QCOMPARE(json[0]["state"].toString(), QString("sealed"));
        QCOMPARE(json[0]["events"].toInt(), 5);
        QCOMPARE(json[1]["exit_status"].toInt(), 2);
    }
    void a_record_of_another_session_is_not_taken_for_this_one() {
        QCOMPARE(belljar_->run({"audit", "verify", "first"}).status, 0); // the index has seen its key
        belljar_->add_session("ccccccccccc3", "third", true, 3);
        QVERIFY(QFile::remove(record_of("aaaaaaaaaaa1")));
        QVERIFY(QFile::copy(record_of("ccccccccccc3"), record_of("aaaaaaaaaaa1")));
        const Ended spliced = belljar_->run({"audit", "verify", "aaaaaaaaaaa1"});
        QCOMPARE(spliced.status, 1);
        QVERIFY2(spliced.out.contains("BROKEN"), spliced.out.constData());
        QCOMPARE(belljar_->run({"audit", "verify", record_of("aaaaaaaaaaa1")}).status, 0); // as a file, whole in itself
        QCOMPARE(belljar_->run({"audit", "verify", "third", "aaaaaaaaaaa1", "nosuch"}).status,
                 1); // broken is the worst
    }
    void a_record_that_is_none_is_not_readable() {
        belljar_->write("state/sessions/aaaaaaaaaaa1/record.db",
                        "not a database at all, but long enough to be looked at");
        QCOMPARE(belljar_->run({"audit", "verify", "aaaaaaaaaaa1"}).status, 3);
        QCOMPARE(belljar_->run({"audit", "show", "aaaaaaaaaaa1"}).status, 1);
        QCOMPARE(belljar_->run({"audit", "verify", "./nowhere.db"}).status, 3);
    }

    void an_export_goes_to_the_output_or_a_private_file() {
        const Ended lines = belljar_->run({"audit", "export", "first"});
        QCOMPARE(lines.status, 0);
        QCOMPARE(lines.out.count('\n'), 5);
        const Ended table = belljar_->run({"audit", "export", "first", "--format", "csv", "-o", "out.csv", "--json"});
        QCOMPARE(table.status, 0);
        QCOMPARE(table.json()["format"].toString(), QString("csv"));
        QFile file(belljar_->path("out.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), 6);
        QCOMPARE(file.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        QCOMPARE(belljar_->run({"audit", "export", "first", "-o", "no/such/folder"}).status, 1);
    }
    void an_export_masks_secrets_unless_told() {
        belljar_->add_session("ddddddddddd4", "fourth", true, 1, "ghp_abcdefghijklmnopqrstuvwxyz0123456789");
        QVERIFY(!belljar_->run({"audit", "export", "fourth"}).out.contains("ghp_abcdefghij"));
        QVERIFY(belljar_->run({"audit", "export", "fourth", "--raw"}).out.contains("ghp_abcdefghij"));
    }
    void a_transcript_is_exported_only_when_asked_for_and_made_visible() {
        const Ended none = belljar_->run({"audit", "export", "first", "--console"});
        QCOMPARE(none.status, 1);
        QVERIFY2(none.err.contains("no transcript"), none.err.constData());
        belljar_->write("state/sessions/aaaaaaaaaaa1/console.log", "\033[1mbold\033[0m\r\nnext");
        QCOMPARE(belljar_->run({"audit", "export", "first", "--console"}).out,
                 QByteArray("\\x1b[1mbold\\x1b[0m\nnext"));
        QCOMPARE(belljar_->run({"audit", "export", "first", "--console", "--raw"}).out,
                 QByteArray("\033[1mbold\033[0m\r\nnext"));
        QVERIFY(!belljar_->run({"audit", "export", "first"}).out.contains("bold"));
    }
};
QTEST_GUILESS_MAIN(TestAudit)
#include "test_cli_audit.moc"
