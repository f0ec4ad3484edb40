// The real window over real sessions, driven as a person does: by keys and clicks on what has a name.
#include "app/desktop/application/app.h"
#include "qml/module.h"

#include <QAccessible>
#include <QApplication>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdlib>
#include <unistd.h>

using namespace belljar;

extern void qml_register_types_Belljar_App();
extern void qml_register_types_Belljar_Sessions();
extern void qml_register_types_Belljar_Start();
extern void qml_register_types_Belljar_System();

class TestWindow : public QObject {
    Q_OBJECT
    QTemporaryDir base_{"/var/tmp/belljar-window-XXXXXX"};
    std::unique_ptr<App> app_;
    std::unique_ptr<QQmlApplicationEngine> engine_;
    QQuickWindow* window_ = nullptr;

    QString folder(const char* name) { return base_.path() + "/" + name; }

    // The visible item with that accessible name and role (NoRole: any).
    static QQuickItem* find_below(QQuickItem* item, const QString& name, QAccessible::Role role) {
        if (!item->isVisible()) return nullptr;
        if (QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(item);
            accessible != nullptr && (role == QAccessible::NoRole || accessible->role() == role) && accessible->text(QAccessible::Name) == name)
            return item;
        for (QQuickItem* child : item->childItems())
            if (QQuickItem* found = find_below(child, name, role)) return found;
        return nullptr;
    }
    QQuickItem* find(const QString& name, QAccessible::Role role) {
        QQuickItem* found = nullptr;
        (void)QTest::qWaitFor([&] { return (found = find_below(window_->contentItem(), name, role)) != nullptr; }, 5'000);
        if (found == nullptr) qWarning("there is no %s, but: %s", qPrintable(name), qPrintable(names_below(window_->contentItem()).join(" | ")));
        return found;
    }
    static QStringList names_below(QQuickItem* item) {
        QStringList names;
        if (!item->isVisible()) return names;
        if (QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(item))
            if (const QString name = accessible->text(QAccessible::Name); !name.isEmpty()) names << name;
        for (QQuickItem* child : item->childItems())
            names << names_below(child);
        return names;
    }
    bool has(const QString& name, QAccessible::Role role) { return find_below(window_->contentItem(), name, role) != nullptr; }
    void click(QQuickItem* item, Qt::MouseButton button = Qt::LeftButton) {
        QTest::mouseClick(window_, button, Qt::NoModifier, item->mapToScene(QPointF(item->width() / 2, item->height() / 2)).toPoint());
    }
    void type(const QString& text) {
        for (const QChar letter : text)
            QTest::keyClick(window_, letter.toLatin1());
    }

private slots:
    void initTestCase() {
        QVERIFY2(::geteuid() != 0, "root would be the session's user: run this as an ordinary one");
        ::setenv("BELLJAR_STATE_DIR", qPrintable(folder("state")), 1);
        ::setenv("BELLJAR_RUNTIME_DIR", qPrintable(folder("run")), 1);
        ::setenv("BELLJAR_CONFIG_DIR", qPrintable(folder("config")), 1);
        QVERIFY(QDir().mkpath(folder("work")));
        QAccessible::setActive(true);
        qml_register_types_Belljar_App();
        qml_register_types_Belljar_Sessions();
        qml_register_types_Belljar_Start();
        qml_register_types_Belljar_System();
        const auto place = find_place();
        QVERIFY(place);
        app_ = std::make_unique<App>(*place);
        engine_ = std::make_unique<QQmlApplicationEngine>();
        add_qml_module(*engine_);
        engine_->load(QUrl("qrc:/qt-project.org/imports/Belljar/pages/Main.qml"));
        QVERIFY(!engine_->rootObjects().isEmpty());
        window_ = qobject_cast<QQuickWindow*>(engine_->rootObjects().front());
        QVERIFY(QTest::qWaitForWindowExposed(window_));
        window_->requestActivate();
        QVERIFY(QTest::qWaitFor([&] { return app_->sessions()->known() && app_->checks()->known(); }, 20'000));
    }
    void cleanupTestCase() {
        engine_.reset();
        app_.reset();
    }

    void an_empty_desk_says_what_a_session_is() {
        QVERIFY(find("No session yet. A session runs one command in a sandbox, and keeps a record of what it reached for.",
                     QAccessible::StaticText));
    }

    void a_session_is_typed_started_listed_stopped_and_removed() {
        QTest::keyClick(window_, Qt::Key_N, Qt::ControlModifier);
        QQuickItem* command = find("Command", QAccessible::EditableText);
        QVERIFY(command);
        QVERIFY(QTest::qWaitFor([&] { return command->hasActiveFocus(); }, 2'000));
        type("sh -c 'cat < /dev/tcp/192.0.2.1/80; getent hosts denied.example; exec sleep 60'");
        QQuickItem* workspace = find("Workspace", QAccessible::EditableText);
        QVERIFY(workspace);
        click(workspace);
        type(folder("work"));
        QVERIFY(QTest::qWaitFor([&] { return !app_->start()->judging(); }, 10'000));
        QCOMPARE(app_->start()->error(), QString());
        QTest::keyClick(window_, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(QTest::qWaitFor([&] { return app_->sessions()->live() == 1; }, 20'000));
        const QString id = app_->sessions()->index(0).data(SessionsModel::IdRole).toString();
        QVERIFY(QTest::qWaitFor([&] { return app_->sessions()->index(0).data(SessionsModel::DeniedRole).toULongLong() > 0; }, 10'000));
        QCOMPARE(window_->property("session").toString(), id); // the new one is chosen
        QVERIFY(QTest::qWaitFor([&] { return !has("Start session", QAccessible::Button); }, 5'000)); // the form is gone
        QQuickItem* stop = find("Stop", QAccessible::Button);
        QVERIFY(stop);
        click(stop);
        QVERIFY(QTest::qWaitFor([&] { return app_->sessions()->live() == 0; }, 20'000));
        QQuickItem* remove = find("Remove…", QAccessible::Button);
        QVERIFY(remove);
        click(remove);
        QQuickItem* sure = find("Remove 1 session", QAccessible::Button);
        QVERIFY(sure);
        click(sure);
        QVERIFY(QTest::qWaitFor([&] { return app_->sessions()->rowCount() == 0; }, 10'000));
        QVERIFY(QTest::qWaitFor([&] { return !has("Remove 1 session", QAccessible::Button); }, 5'000));
        QVERIFY(QFile::exists(folder("work")));
    }

    void a_damaged_index_is_said_also_after_something_was_asked_of_a_session() {
        emit app_->done("1", "stop", "it has ended");
        QVERIFY(find("it has ended", QAccessible::AlertMessage));
        emit app_->done("1", "stop", "");
        app_->sessions()->take({}, "the index was damaged");
        QVERIFY(has("the index was damaged", QAccessible::AlertMessage));
    }

    void the_system_page_shows_what_doctor_finds() {
        QQuickItem* system = find("System", QAccessible::NoRole);
        QVERIFY(system);
        click(system);
        QCOMPARE(window_->property("page").toString(), QString("system"));
        QVERIFY(find("Check again", QAccessible::Button));
    }
};

QTEST_MAIN(TestWindow)
#include "test_window.moc"
