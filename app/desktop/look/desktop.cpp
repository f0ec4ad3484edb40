#include "app/desktop/look/desktop.h"

#include "app/desktop/look/portal_reader.h"

#include <QEvent>
#include <QGuiApplication>

namespace belljar {
namespace {

const QString appearance = QStringLiteral("org.freedesktop.appearance");
const QString interface = QStringLiteral("org.gnome.desktop.interface");

} // namespace

bool is_dark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

DesktopWishes wishes_from(const PortalSettings& settings) {
    DesktopWishes wishes;
    // color-scheme: 0 no preference, 1 dark, 2 light; a value it may have later says nothing.
    const QVariant scheme = settings.value(appearance).value(QStringLiteral("color-scheme"));
    if (scheme.toUInt() == 1) wishes.dark = true;
    if (scheme.toUInt() == 2) wishes.dark = false;
    const QVariant moves = settings.value(interface).value(QStringLiteral("enable-animations"));
    if (moves.isValid()) wishes.still = !moves.toBool();
    return wishes;
}

Desktop::Desktop(QObject* parent) : QObject(parent), palette_is_dark_(is_dark(QGuiApplication::palette())) {
    qGuiApp->installEventFilter(this);
    if (!PortalReader::has_bus()) return;
    auto* reader = new PortalReader; // deleted by its thread
    reader->moveToThread(&bus_);
    connect(&bus_, &QThread::started, reader, &PortalReader::begin);
    connect(&bus_, &QThread::finished, reader, &QObject::deleteLater);
    connect(reader, &PortalReader::told, this, &Desktop::take);
    bus_.start();
}

Desktop::~Desktop() {
    bus_.quit();
    bus_.wait();
}

bool Desktop::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ApplicationPaletteChange && palette_is_dark_ != is_dark(QGuiApplication::palette())) {
        palette_is_dark_ = !palette_is_dark_;
        emit changed();
    }
    return QObject::eventFilter(watched, event);
}

void Desktop::take(const PortalSettings& settings) {
    const bool was_dark = dark(), was_still = reduced_motion();
    const DesktopWishes told = wishes_from(settings);
    const bool of_scheme = settings.value(appearance).contains(QStringLiteral("color-scheme"));
    if (of_scheme) wishes_.dark = told.dark; // "no preference" takes the earlier one back
    if (told.still) wishes_.still = told.still;
    if (was_dark != dark() || was_still != reduced_motion()) emit changed();
}

} // namespace belljar
