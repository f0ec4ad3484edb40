// The desktop portal asked over a real bus: a bus of the test's own, with a process on it that answers as a portal does.
#include "app/desktop/look/desktop.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusVariant>
#include <QGuiApplication>
#include <QProcess>
#include <QSocketNotifier>
#include <QtTest>
#include <cstdio>
#include <string_view>
#include <unistd.h>

using namespace belljar;

using Settings = QMap<QString, QVariantMap>;
Q_DECLARE_METATYPE(Settings)

// Answers the one method and sends the one signal of org.freedesktop.portal.Settings that a window needs.
class Portal : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")
public:
    Settings settings;

public slots:
    Settings ReadAll(const QStringList& spaces) {
        Settings asked;
        for (const QString& space : spaces)
            if (settings.contains(space)) asked.insert(space, settings[space]);
        return asked;
    }

signals:
    void SettingChanged(const QString& space, const QString& key, const QDBusVariant& value);
};

// The portal's process: says when it is there, and at each line on its input that the desktop is light now.
int be_portal(int& argc, char** argv) {
    QCoreApplication application(argc, argv);
    qDBusRegisterMetaType<Settings>();
    Portal portal;
    portal.settings = {{"org.freedesktop.appearance", {{"color-scheme", 1u}}},
                       {"org.gnome.desktop.interface", {{"enable-animations", false}}}};
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.registerObject("/org/freedesktop/portal/desktop", &portal,
                            QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals) ||
        !bus.registerService("org.freedesktop.portal.Desktop"))
        return 1;
    QSocketNotifier input(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&input, &QSocketNotifier::activated, &portal, [&] {
        char byte = 0;
        if (::read(STDIN_FILENO, &byte, 1) != 1) return QCoreApplication::quit();
        if (byte == '\n') emit portal.SettingChanged("org.freedesktop.appearance", "color-scheme", QDBusVariant(2u));
    });
    ::puts("there");
    ::fflush(stdout);
    return QCoreApplication::exec();
}

class TestLookPortal : public QObject {
    Q_OBJECT
    QProcess bus_, portal_;

private slots:
    void initTestCase() {
        bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address"});
        QVERIFY2(bus_.waitForStarted(), "dbus-daemon is not installed");
        QVERIFY(bus_.waitForReadyRead());
        qputenv("DBUS_SESSION_BUS_ADDRESS", bus_.readLine().trimmed());
        portal_.start(QCoreApplication::applicationFilePath(), {"--be-portal"});
        QVERIFY(portal_.waitForReadyRead());
        QCOMPARE(portal_.readLine(), QByteArray("there\n"));
        QPalette light;
        light.setColor(QPalette::Window, Qt::white);
        light.setColor(QPalette::WindowText, Qt::black);
        QGuiApplication::setPalette(light);
    }

    void what_the_portal_says_is_taken_and_followed() {
        Desktop desktop;
        QTRY_VERIFY(desktop.dark());
        QVERIFY(desktop.reduced_motion());
        portal_.write("\n");
        QTRY_VERIFY(!desktop.dark());
        QVERIFY(desktop.reduced_motion());
    }

    void a_desktop_that_goes_away_while_it_asks_waits_for_nobody() {
        for (int i = 0; i < 20; ++i)
            Desktop desktop;
    }

    void cleanupTestCase() {
        portal_.closeWriteChannel();
        QVERIFY(portal_.waitForFinished());
        bus_.terminate();
        QVERIFY(bus_.waitForFinished());
    }
};

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--be-portal") return be_portal(argc, argv);
    QGuiApplication application(argc, argv);
    TestLookPortal test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_look_portal.moc"
