#include "app/desktop/look/words.h"

#include "app/client/wording.h"

#include <QDateTime>
#include <QLocale>
#include <QTextBoundaryFinder>
#include <algorithm>
#include <cmath>

namespace belljar {
namespace {

constexpr double most_exact = 9007199254740992; // 2^53: beyond it a double skips numbers
constexpr int most_marks = 4;                   // on one letter; real scripts need no more
const QChar ellipsis(0x2026), isolate(0x2068), end_isolate(0x2069);

std::uint64_t whole(double number) {
    if (!(number > 0)) return 0; // NaN too
    return static_cast<std::uint64_t>(std::min(number, most_exact));
}

QString in_language(const std::string& text) {
    return QString::fromStdString(text).replace(u'.', QLocale().decimalPoint());
}

QString escaped(char32_t point) {
    if (point == U'\n') return QStringLiteral("\\n");
    if (point == U'\t') return QStringLiteral("\\t");
    return (point > 0xffff ? QStringLiteral("\\U%1") : QStringLiteral("\\u%1"))
        .arg(static_cast<uint>(point), point > 0xffff ? 8 : 4, 16, QLatin1Char('0'));
}

bool hides(char32_t point) {
    switch (QChar::category(point)) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Other_Surrogate:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph: return true;
    default: return false;
    }
}

bool is_mark(char32_t point) {
    const QChar::Category category = QChar::category(point);
    return category == QChar::Mark_NonSpacing || category == QChar::Mark_Enclosing;
}

bool goes_left(char32_t point) {
    const QChar::Direction direction = QChar::direction(point);
    return direction == QChar::DirR || direction == QChar::DirAL || direction == QChar::DirAN;
}

// Where `text` may be cut at or before `at`, so that no character loses a part.
qsizetype boundary_before(const QString& text, qsizetype at) {
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    finder.setPosition(at);
    return finder.isAtBoundary() ? at : std::max<qsizetype>(0, finder.toPreviousBoundary());
}

qsizetype boundary_after(const QString& text, qsizetype at) {
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    finder.setPosition(at);
    const qsizetype next = finder.isAtBoundary() ? at : finder.toNextBoundary();
    return next < 0 ? text.size() : next;
}

} // namespace

QString Words::bytes(double count) const { return in_language(in_bytes(whole(count))); }

QString Words::count(double number) const { return QLocale().toString(static_cast<qulonglong>(whole(number))); }

QString Words::span(double milliseconds) const {
    return in_language(in_time(static_cast<std::int64_t>(whole(std::min(milliseconds, most_exact / 1000)) * 1000)));
}

QString Words::age(double milliseconds) const {
    const std::uint64_t seconds = whole(milliseconds) / 1000;
    if (seconds < 60) return tr("%1 s").arg(seconds);
    if (seconds < 3600) return tr("%1 min").arg(seconds / 60);
    if (seconds < 86400) return tr("%1 h %2 min").arg(seconds / 3600).arg(seconds / 60 % 60, 2, 10, QLatin1Char('0'));
    return tr("%1 d %2 h").arg(seconds / 86400).arg(seconds / 3600 % 24);
}

QString Words::clock(double ms_since_epoch) const {
    return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(whole(ms_since_epoch))).toString(QStringLiteral("HH:mm:ss"));
}

QString Words::when(double ms_since_epoch, double now_ms) const {
    const double age = now_ms - ms_since_epoch;
    if (age >= 0 && age < 86'400'000) return clock(ms_since_epoch);
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(whole(ms_since_epoch)));
    return time.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString Words::visible(const QString& text, int most) const {
    QString shown;
    bool leftward = false;
    int marks = 0;
    qsizetype at = 0;
    for (; at < text.size() && shown.size() < most; ++at) {
        char32_t point = text[at].unicode();
        if (text[at].isHighSurrogate() && at + 1 < text.size() && text[at + 1].isLowSurrogate()) {
            point = QChar::surrogateToUcs4(text[at], text[at + 1]);
            ++at;
        }
        marks = is_mark(point) ? marks + 1 : 0;
        if (marks > most_marks) continue;
        leftward = leftward || goes_left(point);
        if (hides(point)) shown += escaped(point);
        else shown += QString::fromUcs4(&point, 1);
    }
    if (at < text.size()) shown += ellipsis;
    return leftward ? isolate + shown + end_isolate : shown;
}

QString Words::elided_left(const QString& text, int most) const {
    if (text.size() <= most || most < 1) return text;
    return ellipsis + text.sliced(boundary_after(text, text.size() - most + 1));
}

QString Words::elided_middle(const QString& text, int most) const {
    if (text.size() <= most || most < 1) return text;
    const qsizetype head = most / 2, tail = most - 1 - head;
    return text.first(boundary_before(text, head)) + ellipsis + text.sliced(boundary_after(text, text.size() - tail));
}

} // namespace belljar
