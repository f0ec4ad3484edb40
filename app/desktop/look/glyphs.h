// The window's signs, drawn from paths (resources/glyphs.json): one set for every colour, size and pixel ratio. A sign is a list
// of strokes on a grid of 16 units: s a line of 1.4, d the same dashed, f a filled shape, k a line that cuts into the fill below.
#pragma once

#include <QByteArray>
#include <QColor>
#include <QHash>
#include <QImage>
#include <QPainterPath>
#include <QQuickImageProvider>
#include <QString>
#include <QStringView>
#include <optional>
#include <vector>

namespace belljar {

// The subset of SVG's path syntax that the signs use: M L H V Q Z and A with circles, all absolute (SVG 1.1, chapter 8.3).
std::optional<QPainterPath> path_from_svg(QStringView text);

struct GlyphStroke {
    enum class Kind { Line, Dashed, Fill, Cut };
    Kind kind = Kind::Line;
    QPainterPath path;
};
using GlyphSheet = QHash<QString, std::vector<GlyphStroke>>;

// What cannot be read is left out; a file that is no sheet gives an empty one.
GlyphSheet glyphs_from_json(const QByteArray& json);
const GlyphSheet& glyphs(); // the built-in ones

struct GlyphColours {
    QColor line;
    QColor ink; // of what is cut into a fill; none: the fill is cut out
    QColor rim; // around a fill; none: there is no rim
};
// "NAME/COLOUR[/INK[/RIM]]", colours in hexadecimal digits without the #: six, or eight with the alpha first.
std::optional<std::pair<QString, GlyphColours>> glyph_request(const QString& id);

QImage drawn_glyph(const std::vector<GlyphStroke>& strokes, const GlyphColours& colours, int pixels);

// "image://glyph/NAME/COLOUR…". A name or colour that does not exist gives an empty image and a warning, as a missing file does.
class GlyphProvider : public QQuickImageProvider {
public:
    GlyphProvider() : QQuickImageProvider(QQuickImageProvider::Image) {}
    QImage requestImage(const QString& id, QSize* size, const QSize& requested) override;
};

} // namespace belljar
