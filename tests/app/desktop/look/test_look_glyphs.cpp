// The signs: every one of them is read whole and drawn, in the colours asked for.
#include "app/desktop/look/glyphs.h"

#include <QtTest>

using namespace belljar;

namespace {

bool near(QPointF one, QPointF other) { return std::hypot(one.x() - other.x(), one.y() - other.y()) < 0.02; }

QImage drawn(const QString& name, const GlyphColours& colours, int pixels = 64) {
    return drawn_glyph(glyphs().value(name), colours, pixels);
}

} // namespace

class TestLookGlyphs : public QObject {
    Q_OBJECT
private slots:
    void every_sign_of_the_sheet_is_drawn() {
        QVERIFY2(glyphs().size() >= 60, qPrintable(QString::number(glyphs().size())));
        for (auto sign = glyphs().begin(); sign != glyphs().end(); ++sign) {
            const QImage image = drawn_glyph(sign.value(), {Qt::white, {}, {}}, 32);
            int inked = 0;
            for (int y = 0; y < 32; ++y)
                for (int x = 0; x < 32; ++x)
                    inked += qAlpha(image.pixel(x, y)) > 128;
            QVERIFY2(inked > 10, qPrintable(sign.key()));
        }
    }

    void an_arc_goes_the_way_its_flags_say_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QRectF>("bounds");
        QTest::newRow("over the top with the clock") << "M3 8 A5 5 0 0 1 13 8" << QRectF(3, 3, 10, 5);
        QTest::newRow("below against the clock") << "M3 8 A5 5 0 0 0 13 8" << QRectF(3, 8, 10, 5);
        QTest::newRow("a whole circle") << "M8 2 A6 6 0 1 1 7.99 2 Z" << QRectF(2, 2, 12, 12);
    }
    void an_arc_goes_the_way_its_flags_say() {
        QFETCH(QString, path);
        QFETCH(QRectF, bounds);
        const auto drawn_path = path_from_svg(path);
        QVERIFY(drawn_path);
        const QRectF is = drawn_path->boundingRect();
        QVERIFY2(near(is.topLeft(), bounds.topLeft()) && near(is.bottomRight(), bounds.bottomRight()),
                 qPrintable(QStringLiteral("%1 %2 %3 %4").arg(is.x()).arg(is.y()).arg(is.width()).arg(is.height())));
    }

    void what_is_no_path_is_refused_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("an unknown command") << "M1 1 B2 2";
        QTest::newRow("a number without a command") << "1 2";
        QTest::newRow("a number missing") << "M1 1 L2";
        QTest::newRow("an ellipse") << "M1 1 A2 3 0 0 1 4 4";
        QTest::newRow("numbers after the end") << "M1 1 L2 2 Z 3 3";
    }
    void what_is_no_path_is_refused() {
        QFETCH(QString, path);
        QVERIFY(!path_from_svg(path));
    }

    void a_sheet_leaves_out_what_it_cannot_read_whole() {
        const GlyphSheet sheet = glyphs_from_json(R"({"good": [["s", "M1 1 L9 9"]], "bad": [["s", "M1 1 L9 9"], ["x", "M1 1 L9 9"]]})");
        QCOMPARE(sheet.keys(), QStringList({"good"}));
        QVERIFY(glyphs_from_json("no json").isEmpty());
    }

    void a_knock_out_shows_what_is_below_or_the_ink() {
        const QImage open = drawn(QStringLiteral("broken"), {Qt::red, {}, {}});
        QCOMPARE(qAlpha(open.pixel(32, 32)), 0);
        QCOMPARE(open.pixelColor(10, 32), QColor(Qt::red));
        QCOMPARE(drawn(QStringLiteral("broken"), {Qt::red, Qt::blue, {}}).pixelColor(32, 32), QColor(Qt::blue));
    }

    void a_request_names_the_sign_and_its_colours() {
        const auto request = glyph_request(QStringLiteral("held/e6c34a/1c1600/ff9a7200"));
        QVERIFY(request);
        QCOMPARE(request->first, QStringLiteral("held"));
        QCOMPARE(request->second.line, QColor(0xe6, 0xc3, 0x4a));
        QCOMPARE(request->second.ink, QColor(0x1c, 0x16, 0x00));
        QCOMPARE(request->second.rim, QColor(0x9a, 0x72, 0x00));
        for (const char* bad : {"held", "held/red", "held/12345", "held/123456/", "held/111111/111111/111111/111111"})
            QVERIFY2(!glyph_request(QLatin1String(bad)), bad);
    }

    void the_provider_draws_at_the_size_asked_for_and_within_reason() {
        GlyphProvider provider;
        QSize size;
        QCOMPARE(provider.requestImage(QStringLiteral("jar/ffffff"), &size, QSize(40, 40)).size(), QSize(40, 40));
        QCOMPARE(size, QSize(40, 40));
        QVERIFY(provider.requestImage(QStringLiteral("jar/ffffff"), &size, QSize(1000000, 1000000)).width() <= 1024);
        QVERIFY(provider.requestImage(QStringLiteral("nothing/ffffff"), &size, QSize(40, 40)).isNull());
    }
};

QTEST_GUILESS_MAIN(TestLookGlyphs)
#include "test_look_glyphs.moc"
