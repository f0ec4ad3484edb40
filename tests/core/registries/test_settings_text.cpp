// The files in which package tools keep their settings.
#include "core/registries/settings_text.h"
#include "core/registries/xml_text.h"

#include <QtTest>

using namespace belljar;

namespace {

QByteArray joined(const std::vector<Setting>& settings) {
    QByteArray out;
    for (const Setting& one : settings)
        out += QByteArray::fromStdString("[" + one.section + "]" + one.key + "=" + one.value + "|");
    return out;
}

} // namespace

class TestSettingsText : public QObject {
    Q_OBJECT

private slots:
    void npmrc_is_read_as_npm_reads_it() {
        QCOMPARE(joined(read_npmrc("; note\n# note\n registry = https://a.example/ ; note\n\"@s:registry\"='https://b.example/#x'\r\n"
                                   "nothing\n[part]\nregistry=https://c.example\n//a.example/:_authToken=secret\n")),
                 QByteArray("[]registry=https://a.example/|[]@s:registry=https://b.example/#x|[part]registry=https://c.example|"
                            "[part]//a.example/:_authToken=secret|"));
    }

    void pip_conf_goes_on_in_indented_lines() {
        QCOMPARE(joined(read_pip_conf("[global]\nindex_url: https://a.example/simple\n# note\nExtra-Index-URL =\n    https://b.example\n"
                                      "\t; note\n  https://c.example\n[install]\nindex-url=https://d.example\n  \nno-sign\n")),
                 QByteArray("[global]index-url=https://a.example/simple|[global]extra-index-url=\nhttps://b.example\nhttps://c.example|"
                            "[install]index-url=https://d.example|"));
    }

    void go_env_is_lines_of_names_and_values() {
        QCOMPARE(joined(read_go_env("# note\nGOPROXY=https://a.example,direct\r\nGOSUMDB=off\n=x\nword\n")),
                 QByteArray("[]GOPROXY=https://a.example,direct|[]GOSUMDB=off|"));
    }

    void xml_gives_the_text_of_the_innermost_elements() {
        const auto found = read_xml("\xef\xbb\xbf<?xml version=\"1.0\"?>\n<m:settings a='>'><!-- <url>no</url> -->\n<mirrors><mirror>"
                                    "<id>a</id><url> https://a.example/x&amp;y </url></mirror><mirror><url><![CDATA[https://b.example]]></url>"
                                    "<empty/></mirror></mirrors></m:settings>\n");
        QVERIFY2(found, found ? "" : found.error().message().c_str());
        QCOMPARE(found->size(), std::size_t(4));
        QCOMPARE(found->at(1).path, std::string("settings/mirrors/mirror/url"));
        QCOMPARE(found->at(1).text, std::string("https://a.example/x&y"));
        QVERIFY(found->at(0).element == found->at(1).element && found->at(1).element != found->at(2).element);
        QCOMPARE(found->at(2).text, std::string("https://b.example"));
    }

    void what_is_not_well_formed_or_declares_a_doctype_is_refused_with_its_line_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"<a>\n<b></a>", "\n<a>", "<a></a>\n<b/>", "text", "\n<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "<a>&lol;</a>", "<a>&#0;</a>",
              "<a b='>\n", "<a><!-- ", "</a>", "<>x</>", "<a", ""})
            QTest::newRow(text) << QByteArray(text);
        QTest::newRow("deep") << QByteArray("<a>").repeated(100000);
    }
    void what_is_not_well_formed_or_declares_a_doctype_is_refused_with_its_line() {
        QFETCH(QByteArray, text);
        const auto found = read_xml(text.toStdString());
        QVERIFY(!found);
        QVERIFY(found.error().what.starts_with("line "));
    }
};

QTEST_GUILESS_MAIN(TestSettingsText)
#include "test_settings_text.moc"
