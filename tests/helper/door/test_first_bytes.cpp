#include "helper/supervisor/first_bytes.h"

#include "tests/core/egress_parsers/hello_bytes.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::test;
using State = FirstBytes::State;

Q_DECLARE_METATYPE(std::string)

class TestFirstBytes : public QObject {
    Q_OBJECT

private slots:
    void is_needed_for_names_on_the_web_s_ports_only() {
        const Destination named{"example.net", *IpAddress::parse("198.18.0.2"), 443, Transport::Tcp, false};
        const auto with = [&](auto change) {
            Destination other = named;
            change(other);
            return FirstBytes::needed(other, false);
        };
        QVERIFY(FirstBytes::needed(named, false));
        QVERIFY(with([](auto& d) { d.port = 80; }));
        QVERIFY(!FirstBytes::needed(named, true));
        QVERIFY(!with([](auto& d) { d.port = 22; }));
        QVERIFY(!with([](auto& d) { d.name.clear(); }));
        QVERIFY(!with([](auto& d) { d.host_service = true; }));
    }

    void judges_data() {
        QTest::addColumn<int>("port");
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<std::string>("reason"); // empty: passes
        const auto tls = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << 443 << bytes << std::string(reason);
        };
        const auto http = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << 80 << bytes << std::string(reason);
        };
        tls("the name", client_hello("example.net"), "");
        tls("in another case, with a dot", client_hello("EXAMPLE.Net."), "");
        tls("another name", client_hello("evil.test"), "the TLS server name is evil.test, not example.net");
        tls("a subdomain", client_hello("a.example.net"), "the TLS server name is a.example.net, not example.net");
        tls("a name that ends alike", client_hello("notexample.net"),
            "the TLS server name is notexample.net, not example.net");
        tls("a NUL", client_hello(Bytes("example.net\0", 12)),
            "the TLS server name is example.net\\x00, not example.net");
        tls("control characters", client_hello("\x1b[2Jx"), "the TLS server name is \\x1b[2Jx, not example.net");
        tls("none", record(handshake(hello_body(grease(0)))),
            "the TLS ClientHello has no server name, and example.net is needed");
        tls("an outer name", record(handshake(hello_body(server_name("cdn.test") + extension(0xFE0D, "x")))),
            "the outer server name of an encrypted ClientHello is cdn.test, not example.net");
        tls("GREASE beside the name",
            record(handshake(hello_body(server_name("example.net") + extension(0xFE0D, "x")))), "");
        tls("HTTP", "GET / HTTP/1.1\r\nHost: example.net\r\n\r\n", "the first bytes are not TLS");
        http("the host", "GET / HTTP/1.1\r\nHost: EXAMPLE.net.:80\r\n\r\n", "");
        http("another host", "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
             "the HTTP Host is evil.test, not example.net");
        http("an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "the HTTP Host is empty, not example.net");
        http("user information", "GET / HTTP/1.1\r\nHost: example.net@evil.test\r\n\r\n",
             "the HTTP Host is example.net@evil.test, not example.net");
        http("none", "GET / HTTP/1.0\r\n\r\n", "the HTTP request has no Host, and example.net is needed");
        http("an absolute target alike", "GET http://Example.net/ HTTP/1.1\r\nHost: example.net\r\n\r\n", "");
        http("another absolute target", "GET http://evil.test/ HTTP/1.1\r\nHost: example.net\r\n\r\n",
             "the HTTP request is for evil.test, not example.net");
        http("a tunnel elsewhere", "CONNECT evil.test:443 HTTP/1.1\r\nHost: example.net\r\n\r\n",
             "the HTTP request is for evil.test:443, not example.net");
        http("TLS", client_hello("example.net"), "the first bytes are not HTTP");
        http("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
             "the first bytes are HTTP/2 without TLS, whose host cannot be read from the first bytes");
    }
    void judges() {
        QFETCH(int, port);
        QFETCH(std::string, bytes);
        QFETCH(std::string, reason);
        FirstBytes check("example.net", static_cast<std::uint16_t>(port));
        State state = State::More;
        for (const char& byte : bytes)
            if (state == State::More) state = check.feed(span_of(std::string_view(&byte, 1)));
        QCOMPARE(check.reason(), reason);
        QCOMPARE(state, reason.empty() ? State::Pass : State::Refused);
    }

    void says_what_was_missing() {
        const FirstBytes tls("example.net", 443), http("example.net", 80);
        QCOMPARE(tls.unfinished_reason(false), std::string("no complete TLS ClientHello came in time"));
        QCOMPARE(http.unfinished_reason(true),
                 std::string("the connection ended before its HTTP request was complete"));
    }
};

QTEST_GUILESS_MAIN(TestFirstBytes)
#include "test_first_bytes.moc"
