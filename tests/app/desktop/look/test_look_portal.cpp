// The desktop portal asked over a real bus: a bus of the test's own, with a process on it that answers as a portal does.
#include "app/desktop/look/desktop.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusVariant>
#include <QGuiApplication>
#include <QProcess>
#include <QtTest>

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

class TestLookPortal : public QObject {
    Q_OBJECT
    QProcess bus_;
    Portal portal_;

private slots:
    void initTestCase() {
        bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address"});
        QVERIFY2(bus_.waitForStarted(), "dbus-daemon is not installed");
        QVERIFY(bus_.waitForReadyRead());
        qputenv("DBUS_SESSION_BUS_ADDRESS", bus_.readLine().trimmed());
        qDBusRegisterMetaType<Settings>();
        QDBusConnection other = QDBusConnection::connectToBus(QString::fromLatin1(qgetenv("DBUS_SESSION_BUS_ADDRESS")), "portal");
        QVERIFY(other.isConnected());
        QVERIFY(other.registerObject("/org/freedesktop/portal/desktop", &portal_,
                                     QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals));
        QVERIFY(other.registerService("org.freedesktop.portal.Desktop"));
        QPalette light;
        light.setColor(QPalette::Window, Qt::white);
        light.setColor(QPalette::WindowText, Qt::black);
        QGuiApplication::setPalette(light);
    }

    void what_the_portal_says_is_taken_and_followed() {
        portal_.settings = {{"org.freedesktop.appearance", {{"color-scheme", 1u}}},
                            {"org.gnome.desktop.interface", {{"enable-animations", false}}}};
        Desktop desktop;
        QTRY_VERIFY(desktop.dark());
        QVERIFY(desktop.reduced_motion());
        emit portal_.SettingChanged("org.freedesktop.appearance", "color-scheme", QDBusVariant(2u));
        QTRY_VERIFY(!desktop.dark());
        QVERIFY(desktop.reduced_motion());
    }

    void a_desktop_that_goes_away_while_it_asks_waits_for_nobody() {
        for (int i = 0; i < 20; ++i)
            Desktop desktop;
    }

    void cleanupTestCase() {
        QDBusConnection::disconnectFromBus("portal");
        bus_.terminate();
        QVERIFY(bus_.waitForFinished());
    }
};

QTEST_MAIN(TestLookPortal)
#include "test_look_portal.moc"
