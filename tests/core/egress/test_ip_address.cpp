// Addresses as values: one spelling each, and nothing read past what the kernel handed over.
#include "core/egress/ip_address.h"

#include <QtTest>
#include <cstring>

using namespace belljar;

class TestIpAddress : public QObject {
    Q_OBJECT

private slots:
    void texts_are_read_and_written_in_one_spelling_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("written"); // empty: refused
        QTest::newRow("IPv4") << QByteArray("192.0.2.7") << QByteArray("192.0.2.7");
        QTest::newRow("IPv6") << QByteArray("2001:DB8:0::1") << QByteArray("2001:db8::1");
        QTest::newRow("v4-mapped") << QByteArray("::ffff:127.0.0.1") << QByteArray("127.0.0.1");
        QTest::newRow("v4-mapped in hexadecimal") << QByteArray("::ffff:7f00:1") << QByteArray("127.0.0.1");
        QTest::newRow("octal") << QByteArray("0177.0.0.1") << QByteArray();
        QTest::newRow("hexadecimal") << QByteArray("0x7f.0.0.1") << QByteArray();
        QTest::newRow("short") << QByteArray("127.1") << QByteArray();
        QTest::newRow("one number") << QByteArray("2130706433") << QByteArray();
        QTest::newRow("a zone") << QByteArray("fe80::1%eth0") << QByteArray();
        QTest::newRow("a NUL and more") << QByteArray("192.0.2.7\0.evil.test", 20) << QByteArray();
        QTest::newRow("a NUL at the end") << QByteArray("192.0.2.7\0", 10) << QByteArray();
        QTest::newRow("a space") << QByteArray(" 192.0.2.7") << QByteArray();
        QTest::newRow("too long") << QByteArray(200, '1') << QByteArray();
        QTest::newRow("nothing") << QByteArray("") << QByteArray();
    }
    void texts_are_read_and_written_in_one_spelling() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, written);
        const auto ip = IpAddress::parse(std::string_view(text.data(), static_cast<std::size_t>(text.size())));
        QCOMPARE(ip.has_value(), !written.isEmpty());
        if (ip) QCOMPARE(QByteArray::fromStdString(ip->text()), written);
    }

    void the_value_of_an_ipv4_address_is_in_host_order() {
        QCOMPARE(IpAddress::v4(0xC0000207).text(), std::string("192.0.2.7"));
        QCOMPARE(IpAddress::parse("192.0.2.7")->v4_value(), 0xC0000207u);
        QCOMPARE(IpAddress::parse("2001:db8::1")->v4_value(), 0u);
    }

    void endpoints_survive_the_way_through_a_sockaddr_data() {
        QTest::addColumn<QByteArray>("ip");
        QTest::addColumn<bool>("as_v6");
        QTest::addColumn<int>("family");
        QTest::newRow("IPv4") << QByteArray("192.0.2.7") << false << AF_INET;
        QTest::newRow("IPv4 for a socket of IPv6") << QByteArray("192.0.2.7") << true << AF_INET6;
        QTest::newRow("IPv6") << QByteArray("2001:db8::7") << false << AF_INET6;
    }
    void endpoints_survive_the_way_through_a_sockaddr() {
        QFETCH(QByteArray, ip);
        QFETCH(bool, as_v6);
        QFETCH(int, family);
        const Endpoint endpoint{*IpAddress::parse(ip.toStdString()), 8443};
        sockaddr_storage storage;
        std::memset(&storage, 0xff, sizeof storage);
        const socklen_t length = endpoint.to(storage, as_v6);
        QCOMPARE(int(storage.ss_family), family);
        const auto back = Endpoint::from(reinterpret_cast<sockaddr*>(&storage), length);
        QVERIFY(back && *back == endpoint);
        QVERIFY(!Endpoint::from(reinterpret_cast<sockaddr*>(&storage), length - 1));
        QVERIFY(!Endpoint::from(reinterpret_cast<sockaddr*>(&storage), 1));
        QVERIFY(!Endpoint::from(reinterpret_cast<sockaddr*>(&storage), 0));
    }

    void other_families_are_no_endpoints() {
        sockaddr_storage storage{};
        for (const int family : {AF_UNSPEC, AF_UNIX, AF_VSOCK, AF_PACKET, 255}) {
            storage.ss_family = static_cast<sa_family_t>(family);
            QVERIFY(!Endpoint::from(reinterpret_cast<sockaddr*>(&storage), sizeof storage));
        }
        QVERIFY(!Endpoint::from(nullptr, sizeof storage));
    }

    void endpoints_are_written_with_brackets_around_ipv6() {
        QCOMPARE((Endpoint{*IpAddress::parse("192.0.2.1"), 443}.text()), std::string("192.0.2.1:443"));
        QCOMPARE((Endpoint{*IpAddress::parse("2001:db8::1"), 443}.text()), std::string("[2001:db8::1]:443"));
    }
};

QTEST_GUILESS_MAIN(TestIpAddress)
#include "test_ip_address.moc"
