// One window for each user, also after one was killed.
#include "app/desktop/application/single_instance.h"

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace belljar;

class TestSingleInstance : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    std::string folder(const char* name) { return (base_.path() + "/" + name).toStdString(); }

private slots:
    void a_second_start_hands_its_folder_to_the_first() {
        const auto first = SingleInstance::claim(folder("run"), {});
        QVERIFY(first && (*first)->role() == SingleInstance::Role::First);
        QSignalSpy came(first->get(), &SingleInstance::message_came);
        const auto second = SingleInstance::claim(folder("run"), "/some/where with a space");
        QVERIFY(second && (*second)->role() == SingleInstance::Role::Second);
        QVERIFY(came.count() == 1 || came.wait());
        QCOMPARE(came[0][0].toString(), QString("/some/where with a space"));
    }

    void after_one_was_killed_the_next_is_the_first() {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto killed = SingleInstance::claim(folder("killed"), {});
            ::kill(::getpid(), killed ? SIGKILL : SIGTERM);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QCOMPARE(WTERMSIG(status), SIGKILL);
        QVERIFY(QFile::exists(QString::fromStdString(folder("killed") + "/window.lock")));
        const auto next = SingleInstance::claim(folder("killed"), {});
        QVERIFY(next && (*next)->role() == SingleInstance::Role::First);
    }

    void a_folder_that_others_may_enter_is_refused() {
        QVERIFY(::mkdir(folder("open").c_str(), 0755) == 0);
        const auto refused = SingleInstance::claim(folder("open"), {});
        QVERIFY(!refused);
        QVERIFY(refused.error().message().find("not yours alone") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestSingleInstance)
#include "test_single_instance.moc"
