// Session ids and names, accounts, and where sessions lie on disk.
#include "core/session/identity.h"
#include "core/session/paths.h"

#include <QtTest>
#include <set>
#include <unistd.h>

using namespace belljar;

class TestSessionIdentity : public QObject {
    Q_OBJECT

private slots:
    void ids_are_distinct_and_recognised() {
        std::set<std::string> ids;
        for (int i = 0; i < 1000; ++i) {
            const std::string id = new_session_id();
            QVERIFY(is_session_id(id));
            ids.insert(id);
        }
        QCOMPARE(ids.size(), std::size_t(1000));
    }

    void what_is_no_id_is_refused() {
        for (const char* text : {"", "0123456789a", "0123456789abc", "0123456789AB", "../456789abcd", "0123456789a\n"})
            QVERIFY2(!is_session_id(text), text);
    }

    void session_names_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("good");
        QTest::newRow("words") << QByteArray("fix the parser") << true;
        QTest::newRow("umlauts") << QByteArray("gr\xc3\xbc\xc3\x9f"
                                               "e")
                                 << true;
        QTest::newRow("64 bytes") << QByteArray(64, 'x') << true;
        QTest::newRow("65 bytes") << QByteArray(65, 'x') << false;
        QTest::newRow("nothing") << QByteArray() << false;
        QTest::newRow("an option") << QByteArray("-rf") << false;
        QTest::newRow("a path") << QByteArray("a/b") << false;
        QTest::newRow("a line break") << QByteArray("a\nb") << false;
        QTest::newRow("an escape sequence") << QByteArray("\x1b[2J") << false;
        QTest::newRow("not UTF-8") << QByteArray("\xff") << false;
        QTest::newRow("written right to left") << QByteArray("a\xe2\x80\xae"
                                                             "b")
                                               << false;
    }
    void session_names() {
        QFETCH(QByteArray, name);
        QFETCH(bool, good);
        QCOMPARE(check_session_name(name.toStdString()).has_value(), good);
    }

    void accounts_are_found_by_number_and_by_name() {
        const auto by_uid = find_account(uid_t(0));
        QVERIFY(by_uid && by_uid->name == "root" && by_uid->home == "/root");
        const auto by_name = find_account("root");
        QVERIFY(by_name && by_name->uid == 0);
    }

    void an_unknown_account_is_an_error() {
        QVERIFY(!find_account("no-such-user-here"));
        QVERIFY(!find_account("--help"));
    }

    void paths_follow_the_environment_data() {
        QTest::addColumn<QByteArray>("own");
        QTest::addColumn<QByteArray>("xdg");
        QTest::addColumn<QByteArray>("state");
        QTest::newRow("neither") << QByteArray() << QByteArray() << QByteArray("/h/.local/state/belljar");
        QTest::newRow("XDG") << QByteArray() << QByteArray("/x") << QByteArray("/x/belljar");
        QTest::newRow("own wins") << QByteArray("/o") << QByteArray("/x") << QByteArray("/o");
        QTest::newRow("relative ones are ignored")
            << QByteArray("o") << QByteArray("x") << QByteArray("/h/.local/state/belljar");
    }
    void paths_follow_the_environment() {
        QFETCH(QByteArray, own);
        QFETCH(QByteArray, xdg);
        QFETCH(QByteArray, state);
        qputenv("BELLJAR_STATE_DIR", own);
        qputenv("XDG_STATE_HOME", xdg);
        qunsetenv("BELLJAR_RUNTIME_DIR");
        qunsetenv("XDG_RUNTIME_DIR");
        const Paths paths = Paths::from_environment("/h");
        QCOMPARE(QByteArray::fromStdString(paths.state), state);
        QCOMPARE(paths.runtime, paths.state + "/run");
        QCOMPARE(paths.session("0123456789ab"), paths.state + "/sessions/0123456789ab");
    }
};

QTEST_GUILESS_MAIN(TestSessionIdentity)
#include "test_session_identity.moc"
