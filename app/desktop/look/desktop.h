// What the desktop asks of a window: dark or light, and whether things may move. Dark by the portal's word if there is a portal
// (XDG Desktop Portal, org.freedesktop.portal.Settings), else by the palette that Qt found.
#pragma once

#include <QMap>
#include <QObject>
#include <QPalette>
#include <QThread>
#include <QVariant>
#include <QtQml/qqmlregistration.h>
#include <optional>

namespace belljar {

bool is_dark(const QPalette& palette);

// The portal's settings: name space, key, value. One that is absent says nothing.
struct DesktopWishes {
    std::optional<bool> dark;
    std::optional<bool> still; // no animation
};
using PortalSettings = QMap<QString, QVariantMap>;
DesktopWishes wishes_from(const PortalSettings& settings);

class Desktop : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
    Q_PROPERTY(bool dark READ dark NOTIFY changed)
    Q_PROPERTY(bool reducedMotion READ reduced_motion NOTIFY changed)
public:
    explicit Desktop(QObject* parent = nullptr);
    ~Desktop() override;

    bool dark() const { return wishes_.dark.value_or(palette_is_dark_); }
    bool reduced_motion() const { return wishes_.still.value_or(false); }

    bool eventFilter(QObject* watched, QEvent* event) override;

public slots:
    // Whole or in part: what it does not name stays.
    void take(const QMap<QString, QVariantMap>& settings);

signals:
    void changed();

private:
    bool palette_is_dark_ = false;
    DesktopWishes wishes_;
    QThread bus_; // where the portal is asked: the window does not wait for the bus
};

} // namespace belljar
