// NO_PROXY, read as curl reads it.
#include "core/egress/no_proxy.h"

#include <QtTest>

using namespace belljar;

class TestNoProxy : public QObject {
    Q_OBJECT

    static bool direct(const char* variable, const std::string& host, std::uint16_t port) {
        const auto ip = IpAddress::parse(host);
        return NoProxy(no_proxy_entries(variable)).matches(ip ? "" : host, ip.value_or(IpAddress()), port);
    }

private slots:
    void an_entry_names_what_is_reached_without_the_proxy_data() {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<bool>("direct");
        const auto row = [](const char* name, const char* variable, const char* host, int port, bool is) {
            QTest::newRow(name) << variable << host << port << is;
        };
        row("the name itself", "corp.example", "corp.example", 443, true);
        row("a name below it", "corp.example", "git.corp.example", 22, true);
        row("a name below it, with a dot before", ".corp.example", "git.corp.example", 443, true);
        row("the name itself, with a dot before", ".corp.example", "corp.example", 443, true);
        row("with a star", "*.corp.example", "a.b.corp.example", 443, true);
        row("another name with the same end", "corp.example", "notcorp.example", 443, false);
        row("a name above it", "git.corp.example", "corp.example", 443, false);
        row("in capitals, with a final dot", "CORP.Example.", "corp.example", 443, true);
        row("its port", "corp.example:8443", "corp.example", 8443, true);
        row("another port", "corp.example:8443", "corp.example", 443, false);
        row("an address", "192.0.2.7", "192.0.2.7", 443, true);
        row("another address", "192.0.2.7", "192.0.2.8", 443, false);
        row("an address with its port", "192.0.2.7:22", "192.0.2.7", 22, true);
        row("a network", "10.0.0.0/8", "10.9.8.7", 443, true);
        row("outside of the network", "10.0.0.0/8", "11.9.8.7", 443, false);
        row("an IPv6 network", "2001:db8::/32", "2001:db8::7", 443, true);
        row("an IPv6 address in brackets with a port", "[2001:db8::7]:22", "2001:db8::7", 22, true);
        row("the same, another port", "[2001:db8::7]:22", "2001:db8::7", 23, false);
        row("everything", "*", "example.net", 443, true);
        row("several, with commas and spaces", "a.example, b.example  c.example", "c.example", 443, true);
        row("nothing", "", "example.net", 443, false);
        row("odd ones match nothing", "http://x/,10.0.0.0/99,a:b:c,x:0,:,/,.,*.,[", "example.net", 443, false);
    }
    void an_entry_names_what_is_reached_without_the_proxy() {
        QFETCH(QString, variable);
        QFETCH(QString, host);
        QFETCH(int, port);
        QFETCH(bool, direct);
        QCOMPARE(TestNoProxy::direct(variable.toUtf8().constData(), host.toStdString(), static_cast<std::uint16_t>(port)),
                 direct);
    }
};

QTEST_GUILESS_MAIN(TestNoProxy)
#include "test_no_proxy.moc"
