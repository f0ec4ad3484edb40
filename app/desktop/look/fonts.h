// Which families the window uses. Inter in its variable files and Noto Sans Mono where they are installed, else what the desktop
// gives: an identifier must show the signs that were there, so a face whose ligatures change them is not taken for mono.
#pragma once

#include <QObject>
#include <QString>
#include <QtQml/qqmlregistration.h>

namespace belljar {

// The first of `families` that is installed and has TrueType outlines; Qt darkens the stems of CFF outlines, and regular text
// comes out bold on a dark ground. Empty: there is none.
QString first_clean_family(const QStringList& families);

class Fonts : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
    Q_PROPERTY(QString sans READ sans CONSTANT)
    Q_PROPERTY(QString mono READ mono CONSTANT)
public:
    explicit Fonts(QObject* parent = nullptr);

    const QString& sans() const { return sans_; }
    const QString& mono() const { return mono_; }

private:
    QString sans_, mono_;
};

} // namespace belljar
