#include "app/desktop/look/trace_strip.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace belljar {
namespace {

constexpr qsizetype most_bins = 600;
constexpr double below = 8; // for ticks and bars under the traffic

} // namespace

double bar_height(double bytes, double most) {
    if (!(bytes > 0) || !(most > 0)) return 0;
    if (bytes >= most) return 1;
    return std::log1p(bytes) / std::log1p(most);
}

TraceStrip::TraceStrip(QQuickItem* parent) : QQuickPaintedItem(parent) {
    connect(this, &TraceStrip::changed, this, [this] { update(); });
}

void TraceStrip::paint(QPainter* painter) {
    const qsizetype bins = std::min(most_bins, std::max({traffic_.size(), denials_.size(), held_.size()}));
    if (bins == 0) return;
    const auto at = [&](const QList<qreal>& list, qsizetype bin) {
        const qsizetype index = list.size() - bins + bin;
        return index < 0 ? 0.0 : list[index];
    };
    const double step = width() / static_cast<double>(bins), bar = std::max(1.0, std::floor(step * 0.7)), base = height() - below;
    double most = 0;
    for (qsizetype i = 0; i < bins; ++i)
        most = std::max(most, at(traffic_, i));
    for (qsizetype i = 0; i < bins; ++i) {
        const double x = std::round(static_cast<double>(i) * step);
        const double up = std::round(bar_height(at(traffic_, i), most) * base);
        if (up > 0) painter->fillRect(QRectF(x, base - up, bar, up), bar_colour_);
        if (at(denials_, i) > 0) painter->fillRect(QRectF(x, base + 3, 2, 5), denial_colour_);
        if (at(held_, i) > 0) painter->fillRect(QRectF(x, base, std::ceil(step), 3), held_colour_);
    }
    const qsizetype end = end_bin_ - (std::max({traffic_.size(), denials_.size(), held_.size()}) - bins);
    if (end_bin_ >= 0 && end >= 0 && end < bins)
        painter->fillRect(QRectF(std::round(static_cast<double>(end) * step), 0, 1, height() - 2), end_colour_);
}

} // namespace belljar
