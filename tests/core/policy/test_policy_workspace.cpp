// Which folder may become the writable one.
#include "core/policy/spec_from_policy.h"
#include "core/system/files.h"

#include <QTemporaryDir>
#include <QtTest>
#include <unistd.h>

using namespace belljar;

class TestPolicyWorkspace : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::string root_;
    Account account_;
    std::vector<std::string> own_;

    std::string at(const std::string& path) const { return root_ + path; }
    QByteArray refusal(const std::string& path) const {
        const auto checked = check_workspace(path, account_, own_);
        return checked ? QByteArray() : QByteArray::fromStdString(checked.error().message());
    }

private slots:
    void initTestCase() {
        root_ = QDir(folder_.path()).canonicalPath().toStdString();
        for (const char* path : {"/home/u/project/sub", "/home/u/.local/state/belljar/sessions/x", "/home/other"})
            QVERIFY(make_folders(at(path)));
        QVERIFY(write_file(at("/home/u/file"), "x"));
        account_ = {"u", at("/home/u"), "/bin/sh", ::getuid(), ::getgid()};
        own_ = {at("/home/u/.local/state/belljar"), at("/home/u/.config/belljar"), at("/home/u/run/belljar")};
    }

    void a_folder_of_ones_own_is_taken_by_its_real_path() {
        QCOMPARE(*check_workspace(at("/home/u/project"), account_, own_), at("/home/u/project"));
        QCOMPARE(*check_workspace(at("/home/u/project/sub/../"), account_, own_), at("/home/u/project"));
        QCOMPARE(::symlink(at("/home/u/project").c_str(), at("/home/u/link").c_str()), 0);
        QCOMPARE(*check_workspace(at("/home/u/link/sub"), account_, own_), at("/home/u/project/sub"));
    }

    void what_would_show_or_open_too_much_is_refused_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("the root") << QByteArray("/") << QByteArray("the whole system would be writable");
        QTest::newRow("the root, otherwise")
            << QByteArray("/usr/..") << QByteArray("the whole system would be writable");
        QTest::newRow("a system folder") << QByteArray("/usr") << QByteArray("is a system folder");
        QTest::newRow("in a system folder") << QByteArray("/usr/share") << QByteArray("is a system folder");
        QTest::newRow("etc") << QByteArray("/etc") << QByteArray("is a system folder");
        QTest::newRow("a top folder") << QByteArray("/var") << QByteArray("is a system folder");
        QTest::newRow("proc") << QByteArray("/proc/self") << QByteArray("is a system folder");
        QTest::newRow("nothing") << QByteArray("") << QByteArray("no path");
        QTest::newRow("what is not there") << QByteArray("/nowhere/at/all") << QByteArray("No such file or directory");
        QTest::newRow("the home") << QByteArray("~") << QByteArray("the whole home would be writable");
        QTest::newRow("above the home") << QByteArray("~/..") << QByteArray("it holds the home folder");
        QTest::newRow("a file") << QByteArray("~/file") << QByteArray("not a folder");
        QTest::newRow("what holds the records")
            << QByteArray("~/.local") << QByteArray("it holds Belljar's own folder");
        QTest::newRow("the records") << QByteArray("~/.local/state/belljar")
                                     << QByteArray("it holds Belljar's own folder");
        QTest::newRow("in the records") << QByteArray("~/.local/state/belljar/sessions/x")
                                        << QByteArray("it lies in Belljar's own folder");
    }
    void what_would_show_or_open_too_much_is_refused() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, reason);
        std::string real = path.toStdString();
        if (real.starts_with('~')) real = account_.home + real.substr(1);
        const QByteArray said = refusal(real);
        QVERIFY2(said.contains(reason), said.data());
    }

    void a_symlink_does_not_lead_around() {
        const std::pair<const char*, const char*> links[] = {
            {"/", "whole system"}, {"/usr", "system folder"}, {nullptr, "whole home"}};
        for (const auto& [target, reason] : links) {
            const std::string link = at("/home/u/leads-on");
            ::unlink(link.c_str());
            QCOMPARE(::symlink(target ? target : account_.home.c_str(), link.c_str()), 0);
            const QByteArray said = refusal(link);
            QVERIFY2(said.contains(reason), said.data());
        }
    }

    void an_own_folder_behind_a_symlink_is_found() {
        QVERIFY(make_folders(at("/home/u/data")));
        QCOMPARE(::symlink(at("/home/u/data").c_str(), at("/home/u/state-link").c_str()), 0);
        const std::vector<std::string> own{at("/home/u/state-link/belljar")}; // does not exist yet
        QVERIFY(!check_workspace(at("/home/u/data"), account_, own));
        QVERIFY(check_workspace(at("/home/u/project"), account_, own));
    }

    void somebody_elses_folder_is_refused() {
        Account other = account_;
        other.uid = account_.uid + 1;
        const auto checked = check_workspace(at("/home/u/project"), other, own_);
        QVERIFY(!checked && checked.error().why.starts_with("it belongs to uid"));
    }
};

QTEST_GUILESS_MAIN(TestPolicyWorkspace)
#include "test_policy_workspace.moc"
