// What the desktop asks for, in fonts, darkness and motion; and how a trace's bars are measured.
#include "app/desktop/look/desktop.h"
#include "app/desktop/look/fonts.h"
#include "app/desktop/look/trace_strip.h"

#include <QFontDatabase>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QtTest>

using namespace belljar;

namespace {

QPalette palette_of(Qt::GlobalColor window, Qt::GlobalColor text) {
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    return palette;
}

PortalSettings scheme(uint value) { return {{"org.freedesktop.appearance", {{"color-scheme", value}}}}; }

} // namespace

class TestLookDesktop : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        qunsetenv("DBUS_SESSION_BUS_ADDRESS"); // the machine's own desktop is not asked
        qunsetenv("XDG_RUNTIME_DIR");
    }

    void the_palette_says_whether_it_is_dark() {
        QVERIFY(is_dark(palette_of(Qt::black, Qt::white)));
        QVERIFY(!is_dark(palette_of(Qt::white, Qt::black)));
    }

    void a_palette_that_changes_is_followed() {
        QGuiApplication::setPalette(palette_of(Qt::white, Qt::black));
        Desktop desktop;
        QSignalSpy changed(&desktop, &Desktop::changed);
        QVERIFY(!desktop.dark());
        QGuiApplication::setPalette(palette_of(Qt::black, Qt::white));
        QTRY_VERIFY(desktop.dark());
        QCOMPARE(changed.size(), 1);
    }

    void the_portal_is_believed_before_the_palette() {
        QGuiApplication::setPalette(palette_of(Qt::white, Qt::black));
        QCoreApplication::processEvents();
        Desktop desktop;
        desktop.take(scheme(1));
        QVERIFY(desktop.dark());
        desktop.take(scheme(2));
        QVERIFY(!desktop.dark());
        desktop.take(scheme(1));
        desktop.take(scheme(0)); // no preference: the palette again
        QVERIFY(!desktop.dark());
        desktop.take(scheme(99));
        QVERIFY(!desktop.dark());
    }

    void a_setting_of_one_kind_leaves_the_other() {
        Desktop desktop;
        desktop.take(scheme(1));
        QSignalSpy changed(&desktop, &Desktop::changed);
        desktop.take({{"org.gnome.desktop.interface", {{"enable-animations", false}}}});
        QVERIFY(desktop.dark());
        QVERIFY(desktop.reduced_motion());
        desktop.take({{"org.example.other", {{"color-scheme", 2u}}}});
        QVERIFY(desktop.dark());
        QCOMPARE(changed.size(), 1);
    }

    void a_family_that_is_not_there_is_passed_over() {
        const QString mono = first_clean_family({"No Such Family", "Noto Sans Mono", "DejaVu Sans Mono"});
        QVERIFY(mono != "No Such Family");
        QCOMPARE(first_clean_family({"No Such Family"}), QString());
        Fonts fonts;
        QVERIFY(!fonts.sans().isEmpty());
        QVERIFY(!fonts.mono().isEmpty());
    }

    void a_bar_is_never_longer_than_its_strip_and_never_hides_a_byte() {
        QCOMPARE(bar_height(0, 100), 0.0);
        QCOMPARE(bar_height(100, 100), 1.0);
        QCOMPARE(bar_height(1000, 100), 1.0);
        QVERIFY(bar_height(1, 1e12) > 0);
        QCOMPARE(bar_height(5, 0), 0.0);
        QCOMPARE(bar_height(std::nan(""), 10), 0.0);
    }
};

QTEST_MAIN(TestLookDesktop)
#include "test_look_desktop.moc"
