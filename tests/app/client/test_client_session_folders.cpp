// The folders of a session: private when they are made, and gone when they are removed, whatever was left in them.
#include "app/client/session_folders.h"
#include "core/session/identity.h"

#include <QtTest>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace belljar;

class TestSessionFolders : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    Paths paths_;
    static mode_t mode_of(const std::string& path) {
        struct stat st {};
        return ::lstat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : 07777;
    }
    static bool exists(const std::string& path) {
        struct stat st {};
        return ::lstat(path.c_str(), &st) == 0;
    }

private slots:
    void init() {
        base_ = QTemporaryDir();
        const std::string base = base_.path().toStdString();
        paths_ = Paths{base + "/a/state", base + "/run/belljar", base + "/config"};
    }

    void they_are_private_and_new() {
        ::umask(022);
        const std::string id = new_session_id();
        QVERIFY(make_session_folders(paths_, id).has_value());
        for (const std::string& folder : {paths_.state, paths_.session(id), paths_.session(id) + "/home",
                                          paths_.runtime, paths_.session_runtime(id)})
            QCOMPARE(mode_of(folder), mode_t(0700));
        const Status again = make_session_folders(paths_, id);
        QVERIFY(!again.has_value());
        QCOMPARE(again.error().errno_value, EEXIST);
    }

    void a_folder_that_lets_others_in_is_refused_with_what_to_do() {
        QVERIFY(QDir().mkpath(QString::fromStdString(paths_.state)));
        QCOMPARE(::chmod(paths_.state.c_str(), 0755), 0);
        const Status made = make_session_folders(paths_, new_session_id());
        QVERIFY(!made.has_value());
        QVERIFY(made.error().next.find("chmod 700") != std::string::npos);
    }

    void a_symlink_in_the_place_of_a_folder_is_refused() {
        QVERIFY(QDir().mkpath(base_.filePath("a")));
        QVERIFY(QDir().mkpath(base_.filePath("elsewhere")));
        QCOMPARE(::symlink(base_.filePath("elsewhere").toUtf8().constData(), paths_.state.c_str()), 0);
        QVERIFY(!make_session_folders(paths_, new_session_id()).has_value());
        QVERIFY(QDir(base_.filePath("elsewhere")).isEmpty());
    }

    void somebody_else_s_folder_is_refused() {
        if (::geteuid() != 0) {
            paths_.state = "/usr"; // root's
        } else {
            QVERIFY(QDir().mkpath(QString::fromStdString(paths_.state)));
            QCOMPARE(::chmod(paths_.state.c_str(), 0700), 0);
            QCOMPARE(::chown(paths_.state.c_str(), 65534, 65534), 0);
        }
        const Status made = make_session_folders(paths_, new_session_id());
        QVERIFY(!made.has_value());
        QVERIFY2(made.error().why.find("belongs to uid") != std::string::npos, made.error().message().c_str());
    }

    void removal_opens_up_what_is_closed_and_follows_no_link() {
        const std::string id = new_session_id();
        QVERIFY(make_session_folders(paths_, id).has_value());
        const std::string home = paths_.session(id) + "/home";
        QVERIFY(QDir().mkpath(QString::fromStdString(home + "/closed/inner")));
        QFile precious(base_.filePath("precious"));
        QVERIFY(precious.open(QIODevice::WriteOnly));
        QVERIFY(QDir().mkpath(base_.filePath("outside/folder")));
        QCOMPARE(::symlink(base_.filePath("outside").toUtf8().constData(), (home + "/closed/link").c_str()), 0);
        QCOMPARE(::link(precious.fileName().toUtf8().constData(), (home + "/hard").c_str()), 0);
        QCOMPARE(::mkfifo((home + "/fifo").c_str(), 0600), 0);
        QCOMPARE(::chmod((home + "/closed/inner").c_str(), 0), 0);
        QCOMPARE(::chmod((home + "/closed").c_str(), 0500), 0);
        QVERIFY(remove_session_folders(paths_, id).has_value());
        QVERIFY(!exists(paths_.session(id)));
        QVERIFY(!exists(paths_.session_runtime(id)));
        QVERIFY(precious.exists());
        QVERIFY(QDir(base_.filePath("outside/folder")).exists());
    }

    void any_depth_is_taken_apart() {
        const std::string top = base_.path().toStdString() + "/deep";
        QCOMPARE(::mkdir(top.c_str(), 0700), 0);
        int at = ::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const std::string name(200, 'd'); // far beyond PATH_MAX
        for (int depth = 0; depth < 600; ++depth) {
            QCOMPARE(::mkdirat(at, name.c_str(), 0700), 0);
            const int next = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            QVERIFY(next >= 0);
            ::close(at);
            at = next;
        }
        ::close(at);
        const Status removed = remove_tree(top);
        QVERIFY2(removed.has_value(), removed ? "" : removed.error().message().c_str());
        QVERIFY(!exists(top));
    }

    void what_is_not_there_is_removed_already() {
        QVERIFY(remove_session_folders(paths_, new_session_id()).has_value());
    }
    void what_is_no_session_id_is_not_touched() {
        QVERIFY(QDir().mkpath(QString::fromStdString(paths_.sessions() + "/keep")));
        QVERIFY(!remove_session_folders(paths_, "keep").has_value());
        QVERIFY(!remove_session_folders(paths_, "..").has_value());
        QVERIFY(exists(paths_.sessions() + "/keep"));
    }
};
QTEST_GUILESS_MAIN(TestSessionFolders)
#include "test_client_session_folders.moc"
