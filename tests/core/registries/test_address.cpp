// A registry's URL: the host pattern it stands for, and what of it may go into a session.
#include "core/registries/address.h"

#include <QtTest>

using namespace belljar;

class TestAddress : public QObject {
    Q_OBJECT

private slots:
    void a_url_becomes_a_host_pattern_and_a_url_without_credentials_data() {
        QTest::addColumn<QByteArray>("url");
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* url, const char* host, const char* told) {
            QTest::newRow(url) << QByteArray(url) << QByteArray(host) << QByteArray(told);
        };
        row("https://registry.example/", "registry.example", "https://registry.example/");
        row("http://registry.example", "registry.example", "http://registry.example");
        row("https://registry.example:443/a/b/", "registry.example", "https://registry.example:443/a/b/");
        row("http://registry.example:80/", "registry.example", "http://registry.example:80/");
        row("https://registry.example:80/", "registry.example:80", "https://registry.example:80/");
        row("HTTPS://Registry.example:4873/", "Registry.example:4873", "https://Registry.example:4873/");
        row("https://user:secret@registry.example:8443/simple", "registry.example:8443", "https://registry.example:8443/simple");
        row("https://a@b@registry.example/", "registry.example", "https://registry.example/");
        row("https://registry.example/npm/%40scope/?token=secret#x", "registry.example", "https://registry.example/npm/%40scope/");
        row("sparse+https://t:oken@registry.example/index/", "registry.example", "sparse+https://registry.example/index/");
        row("http://198.51.100.10:8081/repo", "198.51.100.10:8081", "http://198.51.100.10:8081/repo");
        row("http://[2001:db8::10]:8081/", "[2001:db8::10]:8081", "http://[2001:db8::10]:8081/");
        row("http://localhost:4873/", "host:4873", "http://localhost:4873/");
        row("http://127.0.0.1/", "host:80", "http://127.0.0.1/");
        row("https://[::1]:8443/", "host:8443", "https://[::1]:8443/");
    }
    void a_url_becomes_a_host_pattern_and_a_url_without_credentials() {
        QFETCH(QByteArray, url);
        QFETCH(QByteArray, host);
        QFETCH(QByteArray, told);
        const auto address = parse_registry_address(url.toStdString());
        QVERIFY2(address, address ? "" : address.error().message().c_str());
        QCOMPARE(QByteArray::fromStdString(address->host), host);
        QCOMPARE(QByteArray::fromStdString(address->url), told);
    }

    void what_is_no_single_host_is_refused_and_no_password_is_said_data() {
        QTest::addColumn<QByteArray>("url");
        for (const char* url :
             {"", "registry.example", "ftp://registry.example/", "file:///srv/packages", "https://", "https:///path",
              "https://*.example/", "https://*/", "https://registry.example:*/",
              "https://registry.example:0/", "https://user:s3cret/word@registry.example/", "https://regi stry.example/",
              "https://registry.example/a\nb", "https://u:s3cret@regi\x1b[2Jstry.example/", "https://0x7f.1/",
              "git+ssh://s3cret@registry.example/", "https://com:443/raw", "https://s3cret/word@registry.example/",
              "https://s3cret?word@registry.example/", "https://s3cret#@registry.example/", "https://registry.example/npm/@scope/",
              "https://s3cret\\@registry.example/", "https://evil.example\\.registry.example/", "https:\\\\s3cret@registry.example/"})
            QTest::newRow(url) << QByteArray(url);
    }
    void what_is_no_single_host_is_refused_and_no_password_is_said() {
        QFETCH(QByteArray, url);
        const auto address = parse_registry_address(url.toStdString());
        if (url == "https://com:443/raw") { // a path, not the waiver of a pattern
            QVERIFY(address && address->host == "com");
            return;
        }
        QVERIFY2(!address, address ? address->host.c_str() : "");
        QVERIFY2(address.error().message().find("s3cret") == std::string::npos, address.error().message().c_str());
        QVERIFY(address.error().message().find('\x1b') == std::string::npos);
    }

    void only_where_a_tool_takes_it_so_a_host_stands_without_a_scheme() {
        const auto address = parse_registry_address("sums.example/sub", true);
        QVERIFY(address && address->host == "sums.example");
    }
};

QTEST_GUILESS_MAIN(TestAddress)
#include "test_address.moc"
