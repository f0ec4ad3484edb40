// How the window writes what the record holds: sizes, times and counts in the desktop's language, and text of hostile origin so
// that nothing in it hides, reorders or grows. Pure; a QML singleton only so that QML finds it.
#pragma once

#include <QObject>
#include <QString>
#include <QtQml/qqmlregistration.h>

namespace belljar {

class Words : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
public:
    explicit Words(QObject* parent = nullptr) : QObject(parent) {}

    // Numbers come as doubles, which is what QML has; what is below zero or no number counts as zero.
    Q_INVOKABLE QString bytes(double count) const;
    Q_INVOKABLE QString count(double number) const; // digits in groups
    Q_INVOKABLE QString span(double milliseconds) const; // exact: "4 ms", "2.3 s", "5 min 12 s"
    Q_INVOKABLE QString age(double milliseconds) const;  // coarse, for columns: "1 s", "38 min", "1 h 12 min", "3 d 4 h"
    Q_INVOKABLE QString clock(double ms_since_epoch) const; // "14:32:07", local
    // A clock time within the 24 hours before `now_ms`, else date and time to the minute.
    Q_INVOKABLE QString when(double ms_since_epoch, double now_ms) const;

    // Control, format and lone surrogate characters as \u202e; right-to-left text isolated; piles of marks and all beyond
    // `most` characters left out.
    Q_INVOKABLE QString visible(const QString& text, int most = 512) const;
    Q_INVOKABLE QString elided_left(const QString& text, int most) const; // hosts: the registrable domain stays
    Q_INVOKABLE QString elided_middle(const QString& text, int most) const; // paths and arguments
};

} // namespace belljar
