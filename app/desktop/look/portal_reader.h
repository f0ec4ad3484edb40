// Asks the desktop portal for its settings and hears of changes. Lives in a thread of its own.
#pragma once

#include <QDBusMessage>
#include <QMap>
#include <QObject>
#include <QVariant>

namespace belljar {

class PortalReader : public QObject {
    Q_OBJECT
public:
    // Whether there is a session bus to ask; without this Qt would try to start one.
    static bool has_bus();

public slots:
    void begin();

signals:
    void told(const QMap<QString, QVariantMap>& settings);

private slots:
    void changed(const QDBusMessage& message);
};

} // namespace belljar
