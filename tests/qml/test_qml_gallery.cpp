// Draws the gallery of all components in both themes and two sizes, without a warning. With BELLJAR_SHOTS set to a folder the
// pictures stay there, to be looked at.
#include "qml/module.h"

#include <QApplication>
#include <QDir>
#include <QQmlApplicationEngine>
#include <QQuickWindow>
#include <QtTest>

using namespace belljar;

class TestQmlGallery : public QObject {
    Q_OBJECT
private slots:
    void every_component_is_drawn_in_both_themes_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QSize>("size");
        for (const char* mode : {"dark", "light"}) {
            QTest::addRow("%s 1440x900", mode) << mode << QSize(1440, 900);
            QTest::addRow("%s 1024x700", mode) << mode << QSize(1024, 700);
        }
    }
    void every_component_is_drawn_in_both_themes() {
        QFETCH(QString, mode);
        QFETCH(QSize, size);
        QStringList warnings;
        QQmlApplicationEngine engine;
        connect(&engine, &QQmlEngine::warnings, this, [&](const QList<QQmlError>& errors) {
            for (const QQmlError& error : errors)
                warnings << error.toString();
        });
        add_qml_module(engine);
        engine.setInitialProperties({{"mode", mode}, {"width", size.width()}, {"height", size.height()}});
        engine.load(QUrl::fromLocalFile(QStringLiteral(BELLJAR_QML_TESTS "/gallery.qml")));
        QCOMPARE(engine.rootObjects().size(), 1);
        auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().constFirst());
        QVERIFY(window);
        QVERIFY(QTest::qWaitForWindowExposed(window));
        const int pages = window->property("pages").toInt();
        QVERIFY(pages > 1);
        for (int page = 0; page < pages; ++page) {
            window->setProperty("page", page);
            QTest::qWait(250); // the fade of a dialog
            const QImage picture = window->grabWindow();
            QCOMPARE(picture.size(), size * window->effectiveDevicePixelRatio());
            QVERIFY2(colours(picture) > 20, qPrintable(QStringLiteral("page %1 is empty").arg(page)));
            if (const QString folder = qEnvironmentVariable("BELLJAR_SHOTS"); !folder.isEmpty()) {
                QVERIFY(QDir().mkpath(folder));
                QVERIFY(picture.save(QStringLiteral("%1/gallery-%2-%3-%4.png").arg(folder, mode).arg(size.width()).arg(page)));
            }
        }
        QVERIFY2(warnings.isEmpty(), qPrintable(warnings.join(u'\n')));
    }

private:
    static int colours(const QImage& picture) {
        QSet<QRgb> seen;
        for (int y = 0; y < picture.height(); y += 2)
            for (int x = 0; x < picture.width(); x += 2)
                seen.insert(picture.pixel(x, y));
        return static_cast<int>(seen.size());
    }
};

int main(int argc, char** argv) {
    QApplication application(argc, argv); // Qt Charts wants one with widgets
    TestQmlGallery test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_qml_gallery.moc"
