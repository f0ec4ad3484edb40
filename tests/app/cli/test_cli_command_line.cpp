// The surface: help for everything, one line for every mistake, statuses as documented.
#include "tests/app/cli/belljar_program.h"

#include <pwd.h>
#include <unistd.h>

using namespace belljar::test;

class TestCommandLine : public QObject {
    Q_OBJECT
    BelljarProgram belljar_;

private slots:
    void every_command_has_help_with_examples_data() {
        QTest::addColumn<QString>("command");
        for (const char* command : {"run", "ls", "show", "stop", "rm", "audit show", "audit verify", "audit export",
                                    "policy list", "policy show", "policy check", "doctor"})
            QTest::newRow(command) << command;
    }
    void every_command_has_help_with_examples() {
        QFETCH(QString, command);
        const QStringList words = command.split(' ');
        const Ended help = belljar_.run(words + QStringList{"--help"});
        QCOMPARE(help.status, 0);
        QVERIFY2(help.out.contains("Usage: belljar " + command.toUtf8()), help.out.constData());
        QVERIFY2(help.out.contains("Examples:\n  belljar " + command.toUtf8()), help.out.constData());
        QVERIFY(help.out.contains("--json"));
        QVERIFY(help.err.isEmpty());
        QCOMPARE(belljar_.run(QStringList{"help"} + words).out, help.out);
        QVERIFY2(belljar_.run({"--help"}).out.contains("\n  " + command.toUtf8()), "not in the overview");
    }

    void the_version_is_told() {
        QCOMPARE(belljar_.run({"--version"}).out, QByteArray("belljar " BELLJAR_VERSION "\n"));
        QCOMPARE(belljar_.run({"--version", "--json"}).json()["version"].toString(), QString(BELLJAR_VERSION));
    }

    void a_mistake_is_one_line_that_says_what_was_meant_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("expected");
        QTest::newRow("a command misspelt") << QStringList{"rnu"} << 64 << "did you mean 'run'?";
        QTest::newRow("a command of a group misspelt")
            << QStringList{"audit", "verfy", "x"} << 64 << "did you mean 'verify'?";
        QTest::newRow("no such command") << QStringList{"frobnicate"} << 64 << "frobnicate: unknown command";
        QTest::newRow("no such option of belljar") << QStringList{"--versoin"} << 64 << "did you mean '--version'?";
        QTest::newRow("an option misspelt") << QStringList{"ls", "--al"} << 64 << "did you mean '--all'?";
        QTest::newRow("an option of run misspelt")
            << QStringList{"run", "--alow", "x", "true"} << 125 << "did you mean '--allow'?";
        QTest::newRow("no command to run") << QStringList{"run", "-q"} << 125 << "no command given";
        QTest::newRow("no session") << QStringList{"show"} << 64 << "ID";
        QTest::newRow("an unknown format")
            << QStringList{"audit", "export", "x", "--format", "cvs"} << 1 << "did you mean 'csv'?";
        QTest::newRow("a session that is not there") << QStringList{"show", "nosuch"} << 1 << "nosuch";
        QTest::newRow("bytes for the terminal") << QStringList{"\033[2J"} << 64 << "\\x1b[2J";
    }
    void a_mistake_is_one_line_that_says_what_was_meant() {
        QFETCH(QStringList, words);
        QFETCH(QString, expected);
        const Ended ended = belljar_.run(words);
        QTEST(ended.status, "status");
        QVERIFY2(ended.err.contains(expected.toUtf8()), ended.err.constData());
        QVERIFY2(ended.err.startsWith("belljar: "), ended.err.constData());
        QCOMPARE(ended.err.count('\n'), 1);
        QVERIFY(!ended.err.contains('\033'));
        QVERIFY(ended.out.isEmpty());
    }

    void nothing_given_shows_what_there_is() {
        const Ended ended = belljar_.run({});
        QCOMPARE(ended.status, 64);
        QVERIFY(ended.err.contains("Commands:"));
        QCOMPARE(belljar_.run({"audit"}).status, 64);
        QCOMPARE(belljar_.run({"audit", "--help"}).status, 0);
    }

    void run_refuses_what_it_cannot_do_with_125() {
        const Ended nowhere = belljar_.run({"run", "-C", belljar_.path("missing"), "--", "true"});
        QCOMPARE(nowhere.status, 125);
        QCOMPARE(nowhere.err.count('\n'), 1);
        if (::getuid() == 0) {
            const Ended root = belljar_.run({"run", "--", "true"});
            QCOMPARE(root.status, 125);
            QVERIFY2(root.err.contains("--user"), root.err.constData());
            QCOMPARE(belljar_.run({"run", "--user", "root", "--", "true"}).status, 125);
            QVERIFY(belljar_.run({"run", "--user", "no-such-user", "--", "true"}).err.contains("no-such-user"));
        } else {
            const Ended other = belljar_.run({"run", "--user", "root", "--", "true"});
            QCOMPARE(other.status, 125);
            QVERIFY2(other.err.contains("only root"), other.err.constData());
        }
        QVERIFY(QDir(belljar_.path("state/sessions")).isEmpty());
    }

    void closed_standard_streams_are_survived() {
        const QString program = QString::fromStdString(belljar::installation_prefix() + "/bin/belljar");
        QCOMPARE(QProcess::execute("/bin/sh", {"-c", "exec \"$0\" --version <&- >&- 2>&-", program}), 0);
    }
    void an_output_that_is_full_is_a_failure() {
        const QString program = QString::fromStdString(belljar::installation_prefix() + "/bin/belljar");
        QCOMPARE(QProcess::execute("/bin/sh", {"-c", "exec \"$0\" --help >/dev/full 2>/dev/null", program}), 1);
    }
};
QTEST_GUILESS_MAIN(TestCommandLine)
#include "test_cli_command_line.moc"
