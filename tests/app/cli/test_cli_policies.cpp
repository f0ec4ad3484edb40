// policy list, show and check.
#include "tests/app/cli/belljar_program.h"

using namespace belljar::test;

class TestPolicies : public QObject {
    Q_OBJECT
    BelljarProgram belljar_;

private slots:
    void the_built_in_ones_and_one_s_own_are_listed() {
        belljar_.write("config/policies/web.toml",
                       "# for the web shop\nversion = 1\n[egress]\nallow = [\"shop.example\"]\n");
        const Ended listed = belljar_.run({"policy", "list"});
        QCOMPARE(listed.status, 0);
        QVERIFY2(listed.out.contains("default") && listed.out.contains("for the web shop"), listed.out.constData());
        QVERIFY(belljar_.run({"policy", "list", "--json"}).json().array().size() >= 2);
    }
    void a_shown_policy_passes_its_own_check_and_means_the_same() {
        const Ended shown = belljar_.run({"policy", "show", "default"});
        QCOMPARE(shown.status, 0);
        belljar_.write("again.toml", shown.out);
        const Ended checked = belljar_.run({"policy", "check", "again.toml"});
        QVERIFY2(checked.status == 0, checked.out.constData());
        QJsonObject before = belljar_.run({"policy", "show", "default", "--json"}).json().object();
        QJsonObject after = belljar_.run({"policy", "show", "./again.toml", "--json"}).json().object();
        for (const char* key : {"filesystem", "credentials", "syscalls", "limits", "workspace", "require"})
            QCOMPARE(after[key], before[key]);
        QCOMPARE(after["egress"][0]["allow"], before["egress"][0]["allow"]);
    }
    void everything_that_is_wrong_is_named_with_its_place() {
        belljar_.write(
            "bad.toml",
            "version = 1\n[egress]\nalow = [\"x.example\"]\ndeny = [\"*.com\"]\n[limits]\nprocesses = \"many\"\n");
        const Ended bad = belljar_.run({"policy", "check", "bad.toml"});
        QCOMPARE(bad.status, 1);
        QVERIFY2(bad.out.contains("bad.toml:3:1: ") && bad.out.contains("allow"), bad.out.constData());
        QVERIFY(bad.out.contains("bad.toml:4:") && bad.out.contains("bad.toml:6:"));
        const QJsonDocument json = belljar_.run({"policy", "check", "bad.toml", "--json"}).json();
        QCOMPARE(json[0]["valid"].toBool(), false);
        QCOMPARE(json[0]["errors"].toArray().size(), 3);
    }
    void a_workspace_s_policy_is_known_by_its_name() {
        const QByteArray widening = "version = 1\n[workspace]\nunprotect = [\".git/hooks\"]\n";
        belljar_.make(".belljar");
        belljar_.write(".belljar/policy.toml", widening);
        belljar_.write("mine.toml", widening);
        QCOMPARE(belljar_.run({"policy", "check", ".belljar/policy.toml"}).status, 1);
        QCOMPARE(belljar_.run({"policy", "check", "mine.toml"}).status, 0);
        QCOMPARE(belljar_.run({"policy", "check", "--workspace", "mine.toml"}).status, 1);
    }
    void what_is_not_there_is_an_error() {
        QCOMPARE(belljar_.run({"policy", "check", "missing.toml"}).status, 1);
        QCOMPARE(belljar_.run({"policy", "show", "nosuch"}).status, 1);
    }
};
QTEST_GUILESS_MAIN(TestPolicies)
#include "test_cli_policies.moc"
