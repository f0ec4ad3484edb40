// The application without a window: what is started is listed, what is stopped has ended, what dies is lost within a second.
#include "app/desktop/application/app.h"

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace belljar;

class TestDesktopApp : public QObject {
    Q_OBJECT
    QTemporaryDir base_{"/var/tmp/belljar-app-XXXXXX"};
    Place place_;
    App* app_ = nullptr;

    QString folder(const char* name) { return base_.path() + "/" + name; }
    QVariant of(const QString& id, int role) {
        return app_->sessions()->data(app_->sessions()->index(app_->sessions()->row_of(id)), role);
    }
    // Of this user's sessions; the kernel's name of a process has 15 bytes.
    QSet<int> supervisors() {
        QSet<int> found;
        for (const QString& entry : QDir("/proc").entryList({"[1-9]*"}, QDir::Dirs)) {
            QFile name("/proc/" + entry + "/comm");
            if (name.open(QIODevice::ReadOnly) && name.readAll().trimmed() == "belljar-supervi") found.insert(entry.toInt());
        }
        return found;
    }
    QString start(const QString& command) {
        QSignalSpy started(app_->start(), &StartModel::started);
        app_->start()->set_command(command);
        app_->start()->set_workspace(folder("work"));
        app_->start()->start();
        if (!started.wait(20'000)) return {};
        const QString id = started[0][0].toString();
        return QTest::qWaitFor([&] { return of(id, SessionsModel::StateRole) == "running"; }, 10'000) ? id : QString();
    }

private slots:
    void initTestCase() {
        QVERIFY2(::geteuid() != 0, "root would be the session's user: run this as an ordinary one");
        ::setenv("BELLJAR_STATE_DIR", qPrintable(folder("state")), 1);
        ::setenv("BELLJAR_RUNTIME_DIR", qPrintable(folder("run")), 1);
        ::setenv("BELLJAR_CONFIG_DIR", qPrintable(folder("config")), 1);
        QVERIFY(QDir().mkpath(folder("work")));
        const auto place = find_place();
        QVERIFY(place);
        place_ = *place;
        app_ = new App(place_, this);
    }

    void an_empty_desk_is_known_to_be_empty() {
        QVERIFY(QTest::qWaitFor([&] { return app_->sessions()->known(); }, 10'000));
        QCOMPARE(app_->sessions()->rowCount(), 0);
    }

    void what_was_started_is_listed_counts_and_can_be_renamed_stopped_and_removed() {
        const QString id = start("sh -c 'cat < /dev/tcp/192.0.2.1/80; exec sleep 60'");
        QVERIFY(!id.isEmpty());
        QCOMPARE(app_->sessions()->live(), 1);
        QVERIFY(of(id, SessionsModel::LiveRole).toBool());
        QSignalSpy done(app_, &App::done);
        app_->rename(id, "another name");
        QVERIFY(done.wait());
        QCOMPARE(done[0][2].toString(), QString());
        QVERIFY(QTest::qWaitFor([&] { return of(id, SessionsModel::NameRole) == "another name"; }, 5'000));
        app_->remove(id);
        QVERIFY(done.wait());
        QVERIFY2(done[1][2].toString().contains("it is running"), qPrintable(done[1][2].toString()));
        app_->stop(id, true);
        QVERIFY(done.wait(20'000));
        QCOMPARE(done[2][2].toString(), QString());
        QVERIFY(QTest::qWaitFor([&] { return of(id, SessionsModel::StateRole) == "ended"; }, 5'000));
        QVERIFY(of(id, SessionsModel::SealedRole).toBool());
        app_->remove(id);
        QVERIFY(done.wait());
        QCOMPARE(done[3][2].toString(), QString());
        QVERIFY(QTest::qWaitFor([&] { return app_->sessions()->row_of(id) < 0; }, 5'000));
        QVERIFY(QFile::exists(folder("work"))); // never the workspace
    }

    void a_supervisor_that_dies_turns_its_session_s_state_within_a_second() {
        const QSet<int> before = supervisors();
        const QString id = start("sleep 60");
        QVERIFY(!id.isEmpty());
        QSet<int> fresh = supervisors();
        fresh.subtract(before);
        QCOMPARE(fresh.size(), 1);
        QCOMPARE(::kill(*fresh.begin(), SIGKILL), 0);
        QVERIFY(QTest::qWaitFor([&] { return of(id, SessionsModel::StateRole) == "lost"; }, 1'000));
        QVERIFY(!of(id, SessionsModel::SealedRole).toBool());
    }

    void a_folder_that_is_opened_is_the_next_session_s_workspace() {
        QSignalSpy opened(app_, &App::folderOpened);
        app_->open_folder(folder("work"));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(app_->start()->workspace(), folder("work"));
    }
};

QTEST_GUILESS_MAIN(TestDesktopApp)
#include "test_desktop_app.moc"
