#include "helper/resolver/requests.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace belljar;

class TestResolverRequests : public QObject {
    Q_OBJECT

private slots:
    void reads_a_request() {
        const auto request = parse_request(R"({"request": 7, "name": "_x.example-1.net"})");
        QVERIFY(request.has_value());
        QCOMPARE(request->request, std::uint64_t(7));
        QCOMPARE(request->name, std::string("_x.example-1.net"));
    }

    void refuses_what_no_supervisor_sends_data() {
        QTest::addColumn<QString>("message");
        for (const char* odd :
             {"", "{", "[]", "7", R"({"request": 7})", R"({"name": "a"})", R"({"request": -7, "name": "a"})",
              R"({"request": "7", "name": "a"})", R"({"request": 7, "name": 8})",
              R"({"request": 7, "name": "a", "x": 1})", R"({"request": 7, "name": ""})",
              R"({"request": 7, "name": "-a"})", R"({"request": 7, "name": "a b"})", R"({"request": 7, "name": "A"})",
              R"({"request": 7, "name": "a\u0000b"})", R"({"request": 7, "name": "a/b"})",
              R"({"request": 7, "name": "a%eth0"})"})
            QTest::newRow(*odd ? odd : "nothing") << odd;
        QTest::newRow("254 bytes") << QString(R"({"request": 7, "name": "%1"})").arg(QString(254, 'a'));
    }
    void refuses_what_no_supervisor_sends() {
        QFETCH(QString, message);
        QVERIFY(!parse_request(message.toStdString()).has_value());
    }

    void writes_addresses_or_an_error() {
        QCOMPARE(encode({7, {"192.0.2.1", "2001:db8::1"}, {}, 0}),
                 std::string(R"({"request":7,"addresses":["192.0.2.1","2001:db8::1"]})"));
        QCOMPARE(encode({7, {}, "Name or service not known", -2}),
                 std::string(R"({"request":7,"error":"Name or service not known","code":-2})"));
    }

    void survives_an_error_text_that_is_not_utf_8() { QVERIFY(nlohmann::json::accept(encode({7, {}, "\xFF", -2}))); }
};

QTEST_GUILESS_MAIN(TestResolverRequests)
#include "test_resolver_requests.moc"
