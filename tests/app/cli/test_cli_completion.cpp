// What `belljar __complete` answers, and that the bash script shows it.
#include "tests/app/cli/belljar_program.h"

using namespace belljar::test;

class TestCompletion : public QObject {
    Q_OBJECT
    BelljarProgram belljar_;
    QStringList complete(const QStringList& words) const {
        QStringList found;
        const Ended ended = belljar_.run(QStringList{"__complete"} + words);
        for (const QByteArray& line : ended.out.split('\n'))
            if (!line.isEmpty()) found << QString::fromUtf8(line.split('\t')[0]);
        return found;
    }

private slots:
    void initTestCase() {
        belljar_.add_session("aaaaaaaaaaa1", "first", true);
        belljar_.make("state/homes");
        belljar_.make("state/homes/work");
    }

    void the_next_word_is_known_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("commands") << QStringList{"s"} << QStringList{"show", "stop"};
        QTest::newRow("a group's commands") << QStringList{"audit", ""} << QStringList{"show", "verify", "export", "prune"};
        QTest::newRow("options") << QStringList{"ls", "--"} << QStringList{"--help", "--all", "--json", "--user"};
        QTest::newRow("sessions by name and id") << QStringList{"show", ""} << QStringList{"first", "aaaaaaaaaaa1"};
        QTest::newRow("no second session where one is wanted") << QStringList{"show", "first", ""} << QStringList{};
        QTest::newRow("more where several are")
            << QStringList{"rm", "-f", "first", "aa"} << QStringList{"aaaaaaaaaaa1"};
        QTest::newRow("policies, and files") << QStringList{"run", "-p", "def"} << QStringList{"default", ":files"};
        QTest::newRow("words for a tool's registries") << QStringList{"run", "--allow", "@"} << QStringList{"@npm", "@pip", "@cargo", "@go", "@maven"};
        QTest::newRow("kept homes") << QStringList{"audit", "prune", "--home", ""} << QStringList{"work"};
        QTest::newRow("a folder") << QStringList{"run", "-C", ""} << QStringList{":folders"};
        QTest::newRow("formats") << QStringList{"audit", "export", "first", "--format", ""}
                                 << QStringList{"jsonl", "csv"};
        QTest::newRow("the command inside") << QStringList{"run", "-q", "l"} << QStringList{":command 1"};
        QTest::newRow("its arguments") << QStringList{"run", "-q", "--", "ls", "--a"} << QStringList{":command 2"};
        QTest::newRow("nothing that is known") << QStringList{"frobnicate", ""} << QStringList{};
    }
    void the_next_word_is_known() {
        QFETCH(QStringList, words);
        QTEST(complete(words), "expected");
    }

    void bash_offers_it() {
        const QString script = R"(
            source "$1"; COMP_WORDS=("$2" show fi); COMP_CWORD=2
            _belljar; printf '%s\n' "${COMPREPLY[@]}")";
        QProcess bash;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("BELLJAR_STATE_DIR", belljar_.path("state"));
        bash.setProcessEnvironment(environment);
        bash.start("bash", {"-c", script, "bash", QFINDTESTDATA("../../../app/cli/completions/belljar.bash"),
                            QString::fromStdString(belljar::installation_prefix() + "/bin/belljar")});
        QVERIFY(bash.waitForFinished());
        QCOMPARE(bash.readAllStandardOutput(), QByteArray("first\n"));
    }
};
QTEST_GUILESS_MAIN(TestCompletion)
#include "test_cli_completion.moc"
