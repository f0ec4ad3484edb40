#include "core/egress/http_head.h"

#include "hello_bytes.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::test;
using State = HttpHeadReader::State;

Q_DECLARE_METATYPE(std::string)

class TestHttpHead : public QObject {
    Q_OBJECT

    static HttpHeadReader read(const Bytes& bytes) {
        HttpHeadReader reader;
        reader.feed(span_of(bytes));
        return reader;
    }

private slots:
    void finds_the_host() {
        const auto reader = read("GET /x HTTP/1.1\r\nAccept: */*\r\nhOST: \t Example.net:80 \r\n\r\nbody");
        QCOMPARE(reader.state(), State::Complete);
        QCOMPARE(*reader.head().host, std::string("Example.net:80"));
        QCOMPARE(reader.head().method, std::string("GET"));
        QVERIFY(!reader.head().target_host);
    }

    void waits_at_every_truncation_and_reads_the_same_from_any_two_segments() {
        const Bytes whole = "POST http://example.net/a HTTP/1.0\r\nHost: example.net\r\nA: b\r\n\r\n";
        for (std::size_t cut = 0; cut < whole.size(); ++cut) {
            HttpHeadReader reader;
            QCOMPARE(reader.feed(span_of(whole.substr(0, cut))), State::More);
            QCOMPARE(reader.feed(span_of(whole.substr(cut))), State::Complete);
            QCOMPARE(*reader.head().host, std::string("example.net"));
            QCOMPARE(*reader.head().target_host, std::string("example.net"));
        }
    }

    void finds_the_target_s_host_data() {
        QTest::addColumn<std::string>("line");
        QTest::addColumn<std::string>("target");
        QTest::newRow("origin form") << std::string("GET /http://evil.test/") << std::string("(none)");
        QTest::newRow("two slashes") << std::string("GET //evil.test/") << std::string("(none)");
        QTest::newRow("asterisk form") << std::string("OPTIONS *") << std::string("(none)");
        QTest::newRow("absolute form") << std::string("GET http://evil.test/x?y") << std::string("evil.test");
        QTest::newRow("absolute form without a path")
            << std::string("GET http://evil.test?x") << std::string("evil.test");
        QTest::newRow("another scheme") << std::string("GET ftp://evil.test:21/") << std::string("evil.test:21");
        QTest::newRow("user information")
            << std::string("GET http://example.net@evil.test/") << std::string("example.net@evil.test");
        QTest::newRow("a tunnel") << std::string("CONNECT evil.test:443") << std::string("evil.test:443");
    }
    void finds_the_target_s_host() {
        QFETCH(std::string, line);
        QFETCH(std::string, target);
        const auto reader = read(line + " HTTP/1.1\r\nHost: a\r\n\r\n");
        QCOMPARE(reader.state(), State::Complete);
        QCOMPARE(reader.head().target_host.value_or("(none)"), target);
    }

    void refuses_what_two_parsers_could_read_differently_data() {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<std::string>("reason");
        const auto row = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << bytes << std::string(reason);
        };
        const Bytes line = "GET / HTTP/1.1\r\n";
        row("two Host lines", line + "Host: a\r\nHost: b\r\n\r\n", "an HTTP head with several Host lines");
        row("the same Host twice", line + "Host: a\r\nhost: a\r\n\r\n", "an HTTP head with several Host lines");
        row("a folded Host", line + "Host: a\r\n b\r\n\r\n", "an HTTP head with a folded line");
        row("a folded first header", line + "\tHost: a\r\n\r\n", "an HTTP head with a folded line");
        row("a space before the colon", line + "Host : a\r\n\r\n", "an HTTP head with a malformed line");
        row("no colon", line + "Host a\r\n\r\n", "an HTTP head with a malformed line");
        row("no field name", line + ": a\r\n\r\n", "an HTTP head with a malformed line");
        row("a bare LF", line + "X: y\nHost: b\r\nHost: a\r\n\r\n", "an HTTP head with a bare LF");
        row("a bare CR", line + "X: y\rHost: b\r\nHost: a\r\n\r\n", "an HTTP head with a bare CR");
        row("a NUL", line + Bytes("Host: a\0b\r\n\r\n", 12), "an HTTP head with a control character");
        row("a DEL", line + "Host: a\x7F\r\n\r\n", "an HTTP head with a control character");
        row("HTTP/2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "HTTP/2 without TLS, whose host cannot be read from the first bytes");
        row("HTTP/0.9", "GET /\r\n", "not HTTP");
        row("HTTP/2 by name", "GET / HTTP/2.0\r\n", "not HTTP/1.0 or HTTP/1.1");
        row("a version with more", "GET / HTTP/1.1x\r\n", "not HTTP/1.0 or HTTP/1.1");
        row("two spaces", "GET  / HTTP/1.1\r\n", "not HTTP");
        row("a space in the target", "GET /a b HTTP/1.1\r\n", "not HTTP");
        row("an empty line first", "\r\nGET / HTTP/1.1\r\n", "not HTTP");
        row("TLS", Bytes("\x16\x03\x01", 3), "not HTTP");
        row("SSH", "SSH-2.0-OpenSSH_9.2\r\n", "not HTTP");
        row("a relative target", "GET evil.test HTTP/1.1\r\n", "an HTTP head with a malformed request target");
        row("a target without a scheme", "GET ://evil.test HTTP/1.1\r\n",
            "an HTTP head with a malformed request target");
        row("an endless line", "GET /" + Bytes(70000, 'a'), "an HTTP head of more than 64 KiB");
        row(
            "endless lines",
            line +
                [] {
                    Bytes all;
                    for (int i = 0; i < 20000; ++i)
                        all += "A: b\r\n";
                    return all;
                }(),
            "an HTTP head of more than 64 KiB");
    }
    void refuses_what_two_parsers_could_read_differently() {
        QFETCH(std::string, bytes);
        QFETCH(std::string, reason);
        const auto reader = read(bytes);
        QCOMPARE(reader.state(), State::Refused);
        QCOMPARE(reader.reason(), reason);
    }

    void takes_a_head_without_a_host_as_one() {
        const auto reader = read("GET / HTTP/1.0\r\n\r\n");
        QCOMPARE(reader.state(), State::Complete);
        QVERIFY(!reader.head().host);
    }

    void separates_host_and_port_data() {
        QTest::addColumn<std::string>("authority");
        QTest::addColumn<std::string>("host");
        QTest::newRow("a host") << std::string("a.test") << std::string("a.test");
        QTest::newRow("a port") << std::string("a.test:8080") << std::string("a.test");
        QTest::newRow("an empty port") << std::string("a.test:") << std::string("a.test");
        QTest::newRow("IPv6") << std::string("[::1]:80") << std::string("[::1]");
        for (const char* odd :
             {"", ":80", "a.test:80:80", "a.test:x", "a.test:123456", "u@a.test", "u:p@a.test:80", "[::1", "[::1]x"})
            QTest::newRow(*odd ? odd : "nothing") << std::string(odd) << std::string("(none)");
    }
    void separates_host_and_port() {
        QFETCH(std::string, authority);
        QFETCH(std::string, host);
        QCOMPARE(std::string(host_of_authority(authority).value_or("(none)")), host);
    }
};

QTEST_GUILESS_MAIN(TestHttpHead)
#include "test_http_head.moc"
