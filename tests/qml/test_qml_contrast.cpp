// Every text and mark of the theme against every ground it may stand on, by WCAG 2.1 (1.4.3 and 1.4.11): 4.5 for text, 3 for marks.
#include "qml/module.h"

#include <QColor>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QtTest>
#include <cmath>
#include <memory>

using namespace belljar;

namespace {

double linear(double part) { return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4); }

double luminance(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& one, const QColor& other) {
    const double a = luminance(one), b = luminance(other);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

} // namespace

class TestQmlContrast : public QObject {
    Q_OBJECT
    QQmlEngine engine_;
    std::unique_ptr<QObject> holder_;
    QObject* theme_ = nullptr;

    QColor colour(const QString& name) {
        const QVariant value = theme_->property(qPrintable(name));
        return value.isValid() ? value.value<QColor>() : QColor();
    }
    void holds(const QString& mark, const QString& ground, double least) {
        const QColor one = colour(mark), other = colour(ground);
        QVERIFY2(one.isValid() && other.isValid(), qPrintable(mark + " or " + ground + " is no colour of the theme"));
        const double is = contrast(one, other);
        QVERIFY2(is >= least, qPrintable(QStringLiteral("%1 on %2, %3: %4").arg(mark, ground, theme_->property("mode").toString()).arg(is)));
    }

private slots:
    void initTestCase() {
        add_qml_module(engine_);
        QQmlComponent component(&engine_);
        component.setData("import QtQuick\nimport Belljar\nQtObject { property QtObject theme: Theme }", QUrl());
        holder_.reset(component.create());
        QVERIFY2(holder_, qPrintable(component.errorString()));
        theme_ = holder_->property("theme").value<QObject*>();
        QVERIFY(theme_);
    }

    void the_measure_itself_is_right() {
        QCOMPARE(contrast(Qt::white, Qt::black), 21.0);
        QVERIFY(std::abs(contrast(QColor("#767676"), Qt::white) - 4.54) < 0.01);
    }

    void text_can_be_read_on_every_ground_data() {
        QTest::addColumn<QString>("mode");
        QTest::newRow("dark") << "dark";
        QTest::newRow("light") << "light";
    }
    void text_can_be_read_on_every_ground() {
        QFETCH(QString, mode);
        theme_->setProperty("mode", mode);
        for (const char* ground : {"bg0", "bg1", "bg2", "bg3", "sel"})
            for (const char* text : {"fg0", "fg1", "fg2", "accent", "hold", "refuse", "wait", "fail", "unsure"})
                holds(QLatin1String(text), QLatin1String(ground), 4.5);
        for (const char* text : {"fg0", "fg1", "fg2"})
            holds(QLatin1String(text), QStringLiteral("term"), 4.5);
        holds("inkAccent", "accentFill", 4.5);
        holds("inkAccent", "accentPressed", 4.5);
        holds("inkWait", "waitFill", 4.5);
        holds("inkFail", "failFill", 4.5);
    }

    void marks_can_be_seen_on_every_ground_data() { text_can_be_read_on_every_ground_data(); }
    void marks_can_be_seen_on_every_ground() {
        QFETCH(QString, mode);
        theme_->setProperty("mode", mode);
        for (const char* ground : {"bg0", "bg1", "bg2"})
            for (const char* mark : {"edge", "waitMark", "failFill", "accentFill", "traceBar"})
                holds(QLatin1String(mark), QLatin1String(ground), 3);
    }

    void the_switch_goes_before_the_desktop() {
        theme_->setProperty("mode", "dark");
        QCOMPARE(colour("bg0"), QColor("#131619"));
        theme_->setProperty("mode", "light");
        QCOMPARE(colour("bg0"), QColor("#FCFCFB"));
    }
};

QTEST_MAIN(TestQmlContrast)
#include "test_qml_contrast.moc"
