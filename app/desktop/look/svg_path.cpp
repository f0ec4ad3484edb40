#include "app/desktop/look/glyphs.h"

#include <QtMath>
#include <algorithm>
#include <cmath>

namespace belljar {
namespace {

// Reads numbers and letters from a path's text; what it cannot read makes it fail for good.
class PathText {
public:
    explicit PathText(QStringView text) : text_(text) {}

    bool at_end() {
        skip();
        return at_ >= text_.size();
    }
    bool failed() const { return failed_; }
    bool at_number() {
        skip();
        return at_ < text_.size() && (text_[at_].isDigit() || text_[at_] == u'.' || text_[at_] == u'-');
    }
    char16_t letter() { return text_[at_++].unicode(); }
    double number() {
        skip();
        const qsizetype from = at_;
        if (at_ < text_.size() && text_[at_] == u'-') ++at_;
        bool point = false;
        while (at_ < text_.size() && (text_[at_].isDigit() || (text_[at_] == u'.' && !point))) {
            point = point || text_[at_] == u'.';
            ++at_;
        }
        bool ok = false;
        const double value = text_.sliced(from, at_ - from).toDouble(&ok);
        failed_ = failed_ || !ok;
        return value;
    }
    QPointF point() {
        const double x = number();
        return {x, number()};
    }

private:
    void skip() {
        while (at_ < text_.size() && (text_[at_].isSpace() || text_[at_] == u','))
            ++at_;
    }

    QStringView text_;
    qsizetype at_ = 0;
    bool failed_ = false;
};

// SVG 1.1, F.6.5, for a circle: from the two ends and the flags to the centre and the angles.
void add_arc(QPainterPath& path, double radius, bool large, bool sweep, QPointF to) {
    const QPointF from = path.currentPosition(), half = (from - to) / 2;
    const double distance = std::hypot(half.x(), half.y());
    if (distance == 0 || radius <= 0) return path.lineTo(to);
    const double r = std::max(radius, distance);
    const double away = std::sqrt(std::max(0.0, r * r - distance * distance)) / distance * (large == sweep ? -1 : 1);
    const QPointF centre = (from + to) / 2 + QPointF(half.y(), -half.x()) * away;
    const auto angle = [&](QPointF end) { return qRadiansToDegrees(std::atan2(-(end.y() - centre.y()), end.x() - centre.x())); };
    const double start = angle(from);
    double length = angle(to) - start; // Qt counts against the clock, SVG's sweep goes with it
    if (sweep && length > 0) length -= 360;
    if (!sweep && length < 0) length += 360;
    path.arcTo(QRectF(centre.x() - r, centre.y() - r, 2 * r, 2 * r), start, length);
}

} // namespace

std::optional<QPainterPath> path_from_svg(QStringView text) {
    QPainterPath path;
    PathText in(text);
    char16_t command = 0;
    while (!in.at_end()) {
        if (!in.at_number()) command = in.letter();
        else if (command == 0 || command == u'Z') return std::nullopt;
        const QPointF here = path.currentPosition();
        switch (command) {
        case u'M':
            path.moveTo(in.point());
            command = u'L'; // more pairs are lines
            break;
        case u'L': path.lineTo(in.point()); break;
        case u'H': path.lineTo(in.number(), here.y()); break;
        case u'V': path.lineTo(here.x(), in.number()); break;
        case u'Q': {
            const QPointF by = in.point();
            path.quadTo(by, in.point());
            break;
        }
        case u'A': {
            const double radius = in.number(), other = in.number();
            in.number(); // a circle has no rotation
            const bool large = in.number() != 0, sweep = in.number() != 0;
            const QPointF to = in.point();
            if (in.failed() || radius != other) return std::nullopt;
            add_arc(path, radius, large, sweep, to);
            break;
        }
        case u'Z': path.closeSubpath(); break;
        default: return std::nullopt;
        }
        if (in.failed()) return std::nullopt;
    }
    return path;
}

} // namespace belljar
