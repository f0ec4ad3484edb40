#include "app/desktop/look/portal_reader.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFileInfo>

namespace belljar {
namespace {

const QString service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString settings = QStringLiteral("org.freedesktop.portal.Settings");
const QStringList spaces = {QStringLiteral("org.freedesktop.appearance"), QStringLiteral("org.gnome.desktop.interface")};

} // namespace

bool PortalReader::has_bus() {
    if (qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")) return true;
    return qEnvironmentVariableIsSet("XDG_RUNTIME_DIR") && QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

void PortalReader::begin() {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    // With a slot of typed arguments connect() fails in Qt 6.4 as long as nobody has used those types on the bus.
    bus.connect(service, path, settings, QStringLiteral("SettingChanged"), this, SLOT(changed(QDBusMessage)));
    QDBusMessage call = QDBusMessage::createMethodCall(service, path, settings, QStringLiteral("ReadAll"));
    call << spaces;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        watcher->deleteLater();
        // No portal, or one without settings, is an ordinary desktop: the palette decides.
        const QDBusMessage reply = watcher->reply();
        if (reply.type() != QDBusMessage::ReplyMessage || reply.signature() != QStringLiteral("a{sa{sv}}")) return;
        emit told(qdbus_cast<QMap<QString, QVariantMap>>(reply.arguments().constFirst().value<QDBusArgument>()));
    });
}

void PortalReader::changed(const QDBusMessage& message) {
    if (message.signature() != QStringLiteral("ssv")) return;
    const QList<QVariant> said = message.arguments();
    const QString space = said[0].toString();
    if (spaces.contains(space)) emit told({{space, {{said[1].toString(), said[2].value<QDBusVariant>().variant()}}}});
}

} // namespace belljar
