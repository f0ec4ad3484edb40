// Kept homes: one that a session uses stays, whoever asks.
#include "app/client/kept_homes.h"

#include "app/client/session_folders.h"
#include "core/system/files.h"
#include "core/system/unique_fd.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fcntl.h>
#include <sys/stat.h>

using namespace belljar;

class TestKeptHomes : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    Paths paths_;

private slots:
    void initTestCase() {
        paths_.state = folder_.path().toStdString();
        QVERIFY(make_kept_home(paths_, "work"));
        QVERIFY(make_folders(paths_.kept_home("work") + "/home/.config"));
        QVERIFY(write_file(paths_.kept_home("work") + "/home/.config/login", "secret"));
        QVERIFY(write_file(paths_.kept_home("work") + "/" + kLockFile, ""));
    }

    void one_in_use_is_not_removed_and_one_that_is_not_goes_altogether() {
        QCOMPARE(list_kept_homes(paths_), std::vector<std::string>{"work"});
        UniqueFd session(::open((paths_.kept_home("work") + "/" + kLockFile).c_str(), O_RDWR | O_CLOEXEC));
        struct flock shared {};
        shared.l_type = F_RDLCK;
        shared.l_len = 1;
        QCOMPARE(::fcntl(session.get(), F_OFD_SETLK, &shared), 0);
        QVERIFY(kept_home_is_in_use(paths_, "work"));
        const Status refused = remove_kept_home(paths_, "work");
        QVERIFY(!refused && refused.error().why == "a session is using it");
        QVERIFY(read_file(paths_.kept_home("work") + "/home/.config/login"));
        session.reset();
        QVERIFY(!kept_home_is_in_use(paths_, "work"));
        QVERIFY(remove_kept_home(paths_, "work"));
        QVERIFY(list_kept_homes(paths_).empty());
        QVERIFY(!remove_kept_home(paths_, "work"));
    }

    void the_folders_are_ours_alone_or_refused() {
        QVERIFY(make_kept_home(paths_, "open"));
        QCOMPARE(::chmod(paths_.kept_home("open").c_str(), 0755), 0);
        QVERIFY(!make_kept_home(paths_, "open"));
    }
};

QTEST_GUILESS_MAIN(TestKeptHomes)
#include "test_client_kept_homes.moc"
