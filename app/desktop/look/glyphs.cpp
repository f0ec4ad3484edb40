#include "app/desktop/look/glyphs.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <algorithm>

namespace belljar {
namespace {

constexpr double grid = 16, line_width = 1.4, rim_width = 1;
constexpr int most_pixels = 1024; // a sign, not a poster

std::optional<GlyphStroke::Kind> kind_of(const QString& letter) {
    if (letter == u"s") return GlyphStroke::Kind::Line;
    if (letter == u"d") return GlyphStroke::Kind::Dashed;
    if (letter == u"f") return GlyphStroke::Kind::Fill;
    if (letter == u"k") return GlyphStroke::Kind::Cut;
    return std::nullopt;
}

std::optional<QColor> colour_of(const QString& digits) {
    if (digits.size() != 6 && digits.size() != 8) return std::nullopt;
    const QColor colour(u'#' + digits);
    return colour.isValid() ? std::optional(colour) : std::nullopt;
}

void draw(QPainter& painter, const GlyphStroke& stroke, const GlyphColours& colours) {
    QPen pen(colours.line, line_width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    switch (stroke.kind) {
    case GlyphStroke::Kind::Line: painter.strokePath(stroke.path, pen); break;
    case GlyphStroke::Kind::Dashed:
        pen.setDashPattern({2.0, 1.6}); // in widths of the pen
        pen.setCapStyle(Qt::FlatCap);
        painter.strokePath(stroke.path, pen);
        break;
    case GlyphStroke::Kind::Fill:
        painter.fillPath(stroke.path, colours.line);
        if (colours.rim.isValid()) painter.strokePath(stroke.path, QPen(colours.rim, rim_width));
        break;
    case GlyphStroke::Kind::Cut:
        pen.setWidthF(1.7);
        if (colours.ink.isValid()) {
            pen.setColor(colours.ink);
            painter.strokePath(stroke.path, pen);
            break;
        }
        painter.setCompositionMode(QPainter::CompositionMode_DestinationOut);
        pen.setColor(Qt::black);
        painter.strokePath(stroke.path, pen);
        painter.setCompositionMode(QPainter::CompositionMode_SourceOver);
        break;
    }
}

} // namespace

GlyphSheet glyphs_from_json(const QByteArray& json) {
    GlyphSheet sheet;
    const QJsonObject all = QJsonDocument::fromJson(json).object();
    for (auto entry = all.begin(); entry != all.end(); ++entry) {
        std::vector<GlyphStroke> strokes;
        const QJsonArray listed = entry.value().toArray();
        for (const QJsonValue value : listed) {
            const QJsonArray pair = value.toArray();
            const auto kind = kind_of(pair.at(0).toString());
            const auto path = path_from_svg(pair.at(1).toString());
            if (kind && path && !path->isEmpty()) strokes.push_back({*kind, *path});
        }
        if (!strokes.empty() && strokes.size() == static_cast<std::size_t>(listed.size())) sheet.insert(entry.key(), strokes);
    }
    return sheet;
}

const GlyphSheet& glyphs() {
    static const GlyphSheet sheet = [] {
        QFile file(QStringLiteral(":/look/glyphs.json"));
        return file.open(QIODevice::ReadOnly) ? glyphs_from_json(file.readAll()) : GlyphSheet();
    }();
    return sheet;
}

std::optional<std::pair<QString, GlyphColours>> glyph_request(const QString& id) {
    const QStringList parts = id.split(u'/');
    if (parts.size() < 2 || parts.size() > 4) return std::nullopt;
    GlyphColours colours;
    QColor* const into[] = {&colours.line, &colours.ink, &colours.rim};
    for (qsizetype i = 1; i < parts.size(); ++i) {
        const auto colour = colour_of(parts[i]);
        if (!colour) return std::nullopt;
        *into[i - 1] = *colour;
    }
    return std::pair(parts[0], colours);
}

QImage drawn_glyph(const std::vector<GlyphStroke>& strokes, const GlyphColours& colours, int pixels) {
    const int side = std::clamp(pixels, 1, most_pixels);
    QImage image(side, side, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(side / grid, side / grid);
    for (const GlyphStroke& stroke : strokes)
        draw(painter, stroke, colours);
    return image;
}

QImage GlyphProvider::requestImage(const QString& id, QSize* size, const QSize& requested) {
    const auto request = glyph_request(id);
    if (!request || !glyphs().contains(request->first)) return {};
    const int pixels = requested.width() > 0 ? requested.width() : static_cast<int>(grid);
    QImage image = drawn_glyph(glyphs()[request->first], request->second, pixels);
    if (size != nullptr) *size = image.size();
    return image;
}

} // namespace belljar
