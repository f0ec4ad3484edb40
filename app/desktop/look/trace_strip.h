// One session's traffic in miniature: bytes upwards (log scale), denials as ticks below, a bar while something is held, a line
// where the session ended. Painted, because a scene of a few hundred rectangles a row costs more than one picture.
#pragma once

#include <QColor>
#include <QList>
#include <QQuickPaintedItem>
#include <QtQml/qqmlregistration.h>

namespace belljar {

// Height of a bar in [0, 1]: 0 stays 0, one byte is seen, `most` fills it.
double bar_height(double bytes, double most);

class TraceStrip : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    // Bins of equal length, oldest first; at most 600 of each are drawn, the newest.
    Q_PROPERTY(QList<qreal> traffic MEMBER traffic_ NOTIFY changed)
    Q_PROPERTY(QList<qreal> denials MEMBER denials_ NOTIFY changed)
    Q_PROPERTY(QList<qreal> held MEMBER held_ NOTIFY changed)
    Q_PROPERTY(int endBin MEMBER end_bin_ NOTIFY changed) // -1: it lives, or ended before the strip
    Q_PROPERTY(QColor barColor MEMBER bar_colour_ NOTIFY changed)
    Q_PROPERTY(QColor denialColor MEMBER denial_colour_ NOTIFY changed)
    Q_PROPERTY(QColor heldColor MEMBER held_colour_ NOTIFY changed)
    Q_PROPERTY(QColor endColor MEMBER end_colour_ NOTIFY changed)
public:
    explicit TraceStrip(QQuickItem* parent = nullptr);
    void paint(QPainter* painter) override;

signals:
    void changed();

private:
    QList<qreal> traffic_, denials_, held_;
    int end_bin_ = -1;
    QColor bar_colour_, denial_colour_, held_colour_, end_colour_;
};

} // namespace belljar
