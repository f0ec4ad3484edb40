// doctor's findings in the window: what limits enforcement first, and nothing waits for them.
#include "app/desktop/system/checks_model.h"

#include <QAbstractItemModelTester>
#include <QThread>
#include <QtTest>

using namespace belljar;

class TestChecksModel : public QObject {
    Q_OBJECT
private slots:
    void what_is_missing_stands_before_notes_and_those_before_what_is_in_order() {
        CheckDesk desk{Place{}};
        ChecksModel model(desk);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(!model.known() && !model.able());
        model.take({{Check::State::Ok, "kernel", "6.18", {}},
                    {Check::State::Note, "cgroup v2", "not here", "boot with it"},
                    {Check::State::Missing, "Yama", "strict", "reboot"},
                    {Check::State::Ok, "user", "uid 1000", {}}});
        QStringList names;
        for (int i = 0; i < model.rowCount(); ++i)
            names << model.data(model.index(i), ChecksModel::NameRole).toString();
        QCOMPARE(names, QStringList({"Yama", "cgroup v2", "kernel", "user"}));
        QCOMPARE(model.data(model.index(0), ChecksModel::StateRole).toString(), QString("missing"));
        QCOMPARE(model.data(model.index(1), ChecksModel::AdviceRole).toString(), QString("boot with it"));
        QCOMPARE(model.missing(), 1);
        QCOMPARE(model.notes(), 1);
        QVERIFY(model.known() && !model.able());
    }

    void the_checks_run_in_their_own_thread_and_once_for_two_presses() {
        const auto place = find_place();
        QVERIFY(place);
        QThread thread;
        auto* desk = new CheckDesk(*place);
        desk->moveToThread(&thread);
        connect(&thread, &QThread::finished, desk, &QObject::deleteLater);
        thread.start();
        ChecksModel model(*desk);
        QSignalSpy checked(&model, &ChecksModel::checked);
        model.check();
        model.check();
        QVERIFY(model.checking());
        QCOMPARE(model.rowCount(), 0); // it did not wait
        QVERIFY(checked.wait(30'000));
        QVERIFY(!model.checking());
        QVERIFY(model.rowCount() > 10);
        QTest::qWait(300);
        QCOMPARE(checked.count(), 1);
        thread.quit();
        thread.wait();
    }
};

QTEST_GUILESS_MAIN(TestChecksModel)
#include "test_checks_model.moc"
