#include "app/desktop/look/fonts.h"

#include <QFont>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QRawFont>
#include <QStandardPaths>

namespace belljar {
namespace {

bool has_cff_outlines(const QString& family) {
    QFont font(family);
    font.setPixelSize(13);
    return !QRawFont::fromFont(font).fontTable("CFF ").isEmpty();
}

// Both of Debian's packages call their family "Inter". Where the CFF files win, the variable ones are taken by file.
void prefer_variable_inter() {
    if (!QFontDatabase::hasFamily(QStringLiteral("Inter")) || !has_cff_outlines(QStringLiteral("Inter"))) return;
    for (const char* name : {"truetype/inter-vf/Inter.var.ttf", "truetype/inter-vf/Inter-roman.var.ttf"})
        if (const QString file = QStandardPaths::locate(QStandardPaths::FontsLocation, QLatin1String(name)); !file.isEmpty())
            QFontDatabase::addApplicationFont(file);
}

} // namespace

QString first_clean_family(const QStringList& families) {
    for (const QString& family : families)
        if (QFontDatabase::hasFamily(family) && !has_cff_outlines(family)) return family;
    return {};
}

Fonts::Fonts(QObject* parent) : QObject(parent) {
    prefer_variable_inter();
    sans_ = first_clean_family({QStringLiteral("Inter"), QStringLiteral("Inter Variable"), QStringLiteral("Noto Sans"),
                                QStringLiteral("DejaVu Sans")});
    if (sans_.isEmpty()) sans_ = QGuiApplication::font().family();
    mono_ = first_clean_family({QStringLiteral("Noto Sans Mono"), QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Liberation Mono")});
    if (mono_.isEmpty()) mono_ = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
}

} // namespace belljar
