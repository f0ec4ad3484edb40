// The form of a new session: what it says before the start is what the start does.
#include "app/desktop/start/start_model.h"

#include "app/client/given_request.h"
#include "app/client/session_client.h"

#include <QTemporaryDir>
#include <QThread>
#include <QtTest>
#include <cstdlib>
#include <unistd.h>

using namespace belljar;

class TestStartModel : public QObject {
    Q_OBJECT
    QTemporaryDir base_{"/var/tmp/belljar-start-XXXXXX"};
    QThread thread_;
    Place place_;
    StartDesk* desk_ = nullptr;
    StartModel* model_ = nullptr;

    QString folder(const char* name) { return base_.path() + "/" + name; }
    bool judged() {
        return QTest::qWaitFor([&] { return !model_->judging(); }, 10'000);
    }

private slots:
    void initTestCase() {
        QVERIFY2(::geteuid() != 0, "root would be the session's user: run this as an ordinary one");
        ::setenv("BELLJAR_STATE_DIR", qPrintable(folder("state")), 1);
        ::setenv("BELLJAR_RUNTIME_DIR", qPrintable(folder("run")), 1);
        ::setenv("BELLJAR_CONFIG_DIR", qPrintable(folder("config")), 1);
        ::setenv("PATH", qPrintable(folder("bin") + ":/usr/bin:/bin"), 1);
        for (const char* name : {"bin", "work", "config/policies"})
            QVERIFY(QDir().mkpath(folder(name)));
        QFile agent(folder("bin/codex"));
        QVERIFY(agent.open(QIODevice::WriteOnly));
        QVERIFY(agent.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const auto place = find_place();
        QVERIFY(place);
        place_ = *place;
        desk_ = new StartDesk(place_);
        desk_->moveToThread(&thread_);
        connect(&thread_, &QThread::finished, desk_, &QObject::deleteLater);
        thread_.start();
        model_ = new StartModel(*desk_, this);
    }
    void cleanupTestCase() {
        thread_.quit();
        thread_.wait();
    }

    void agents_that_are_installed_and_all_policies_are_offered() {
        QSignalSpy offers(model_, &StartModel::offersChanged);
        model_->look_again();
        QVERIFY(offers.wait());
        QCOMPARE(model_->agents(), QStringList({"codex"}));
        QStringList names;
        for (const QVariant& policy : model_->policies())
            names << policy.toMap()["name"].toString();
        QVERIFY2(names.contains("default") && names.contains("agent-codex"), qPrintable(names.join(' ')));
    }

    void each_fault_is_told_beside_its_field_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("workspace");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("field");
        const QString work = folder("work");
        QTest::newRow("no command") << "" << work << "default" << "" << "command";
        QTest::newRow("an open quote") << "sh -c 'x" << work << "default" << "" << "command";
        QTest::newRow("no workspace") << "bash" << "" << "default" << "" << "workspace";
        QTest::newRow("a workspace that is not there") << "bash" << folder("nothing") << "default" << "" << "workspace";
        QTest::newRow("a policy that is not there") << "bash" << work << "nosuch" << "" << "policy";
        QTest::newRow("a host that is none") << "bash" << work << "default" << "a b" << "hosts";
    }
    void each_fault_is_told_beside_its_field() {
        QFETCH(QString, command);
        QFETCH(QString, workspace);
        QFETCH(QString, policy);
        QFETCH(QString, host);
        model_->set_command(command);
        model_->set_workspace(workspace);
        model_->set_policy(policy);
        model_->set_hosts({host});
        QVERIFY(judged());
        QVERIFY(!model_->error().isEmpty());
        QTEST(model_->field(), "field");
    }

    void what_the_policy_allows_is_said_before_the_start() {
        model_->set_command("bash");
        model_->set_workspace(folder("work"));
        model_->set_policy("agent-codex");
        model_->set_hosts({"more.example:8443"});
        QVERIFY(judged());
        QCOMPARE(model_->error(), QString());
        QVERIFY2(model_->reaches().contains("more.example:8443"), qPrintable(model_->reaches().join(' ')));
        QVERIFY(model_->reaches().size() > 1);
        QCOMPARE(model_->home(), QString("codex"));
        QVERIFY(model_->command_line().startsWith("belljar run -C "));
        model_->set_policy("review");
        QVERIFY(judged());
        QVERIFY(!model_->workspace_writable());
    }

    void what_is_started_runs_and_can_be_started_again() {
        model_->set_command("sh -c 'echo \"it runs\" > made; exec sleep 60'");
        model_->set_policy("default");
        model_->set_hosts({});
        model_->set_name("from the form");
        QSignalSpy started(model_, &StartModel::started);
        model_->start();
        QVERIFY(model_->starting());
        QVERIFY2(started.wait(20'000), qPrintable(model_->refusal()));
        const std::string id = started[0][0].toString().toStdString();
        QCOMPARE(started[0][1].toString(), QString("from the form"));
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(folder("work/made")); }, 10'000));
        const auto row = find_session(place_, id);
        QVERIFY(row);
        QVERIFY(row->state == SessionState::Running);
        const auto again = kept_request(place_.paths.session(id));
        QVERIFY(again);
        QCOMPARE(again->words.back(), std::string("echo \"it runs\" > made; exec sleep 60"));
        QVERIFY(stop_session(place_, *row, true));
    }

    void what_cannot_be_started_says_why_and_leaves_nothing() {
        model_->set_command("bash");
        model_->set_workspace(folder("nothing"));
        const QStringList before = QDir(folder("state/sessions")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        model_->start();
        QVERIFY(QTest::qWaitFor([&] { return !model_->starting(); }, 10'000));
        QVERIFY2(model_->refusal().contains("nothing"), qPrintable(model_->refusal()));
        QCOMPARE(QDir(folder("state/sessions")).entryList(QDir::Dirs | QDir::NoDotAndDotDot), before);
    }
};

QTEST_GUILESS_MAIN(TestStartModel)
#include "test_start_model.moc"
