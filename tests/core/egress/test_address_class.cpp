// What kind of address an allowed name may resolve to; the wrapped forms are where rules are passed by.
#include "core/egress/address_class.h"

#include <QtTest>

using namespace belljar;
using enum AddressKind;

Q_DECLARE_METATYPE(belljar::AddressKind)

class TestAddressClass : public QObject {
    Q_OBJECT

private slots:
    void each_address_has_its_kind_data() {
        QTest::addColumn<AddressKind>("kind");
        const auto row = [](const char* ip, AddressKind kind) { QTest::newRow(ip) << kind; };
        row("8.8.8.8", Public);
        row("1.1.1.1", Public);
        row("0.0.0.0", Unspecified);
        row("0.0.0.1", Reserved);
        row("9.255.255.255", Public);
        row("10.0.0.0", Private);
        row("10.255.255.255", Private);
        row("11.0.0.0", Public);
        row("100.63.255.255", Public);
        row("100.64.0.0", SharedCgn);
        row("100.127.255.255", SharedCgn);
        row("100.128.0.0", Public);
        row("100.100.100.200", Metadata);
        row("126.255.255.255", Public);
        row("127.0.0.1", Loopback);
        row("127.255.255.255", Loopback);
        row("168.63.129.16", Metadata);
        row("169.254.0.1", LinkLocal);
        row("169.254.169.254", Metadata);
        row("169.254.170.2", Metadata);
        row("172.15.255.255", Public);
        row("172.16.0.0", Private);
        row("172.31.255.255", Private);
        row("172.32.0.0", Public);
        row("192.0.0.8", Reserved);
        row("192.0.0.192", Metadata);
        row("192.0.2.1", Public);
        row("192.88.99.1", Reserved);
        row("192.168.0.1", Private);
        row("192.169.0.1", Public);
        row("198.17.255.255", Public);
        row("198.18.0.1", StandIn);
        row("198.19.255.255", StandIn);
        row("198.20.0.0", Public);
        row("198.51.100.9", Public);
        row("203.0.113.9", Public);
        row("224.0.0.1", Multicast);
        row("239.255.255.255", Multicast);
        row("240.0.0.1", Reserved);
        row("255.255.255.255", Reserved);
        row("::", Unspecified);
        row("::1", Loopback);
        row("::2", Reserved);
        row("2606:4700::1111", Public);
        row("2001:db8::1", Public);
        row("3fff::1", Reserved);
        row("fc00::1", Private);
        row("fdff::1", Private);
        row("fec0::1", Private);
        row("fe80::1", LinkLocal);
        row("fe80::a9fe:a9fe", Metadata);
        row("fd00:ec2::254", Metadata);
        row("fd20:ce::254", Metadata);
        row("ff02::1", Multicast);
        row("100::1", Reserved);
        row("4000::1", Reserved);
        row("2001:10::1", Reserved);
        row("2001:200::1", Public);
        // v4-mapped
        row("::ffff:8.8.8.8", Public);
        row("::ffff:127.0.0.1", Loopback);
        row("::ffff:169.254.169.254", Metadata);
        // NAT64, RFC 6052
        row("64:ff9b::8.8.8.8", Public);
        row("64:ff9b::127.0.0.1", Loopback);
        row("64:ff9b::10.0.0.1", Private);
        row("64:ff9b::169.254.169.254", Metadata);
        row("64:ff9b::0.0.0.0", Unspecified);
        row("64:ff9b:0:1::10.0.0.1", Reserved);
        // NAT64 of one's own network, RFC 8215, in each prefix length
        row("64:ff9b:1::8.8.8.8", Public);
        row("64:ff9b:1::10.0.0.5", Private);
        row("64:ff9b:1:7f00:0:100::", Loopback);      // /48
        row("64:ff9b:1:afa9:fe:a9fe::", Metadata);   // /56: af | a9, 00, fe a9 fe
        row("64:ff9b:1:abcd:a:0:500:0", Private);     // /64: 10.0.0.5
        row("64:ff9b:1:808:8:800::", Public);         // /48: 8.8.8.8; no other reading is worse
        // 6to4
        row("2002:808:808::1", Public);
        row("2002:7f00:1::", Loopback);
        row("2002:a9fe:a9fe::1", Metadata);
        row("2002:c0a8:1::1", Private);
        // Teredo: server in the clear, client with its bits turned
        row("2001:0:808:808:0:0:f7f7:f7f7", Public);   // client 8.8.8.8
        row("2001:0:808:808:0:0:80ff:fffe", Loopback); // client 127.0.0.1
        row("2001:0:a00:1:0:0:f7f7:f7f7", Private);    // server 10.0.0.1
        // IPv4-compatible and IPv4-translated
        row("::8.8.8.8", Public);
        row("::127.0.0.1", Loopback);
        row("::10.1.2.3", Private);
        row("::ffff:0:8.8.8.8", Public);
        row("::ffff:0:169.254.169.254", Metadata);
    }
    void each_address_has_its_kind() {
        QFETCH(AddressKind, kind);
        const auto ip = IpAddress::parse(QTest::currentDataTag());
        QVERIFY(ip);
        QCOMPARE(describe(classify(*ip, {})), describe(kind));
    }

    void addresses_of_this_host_are_its_own_wrapped_or_not() {
        const std::vector<IpAddress> own{*IpAddress::parse("8.8.4.4"), *IpAddress::parse("10.0.0.9"),
                                         *IpAddress::parse("127.0.0.1"), *IpAddress::parse("2606:4700::9")};
        for (const char* text :
             {"8.8.4.4", "10.0.0.9", "64:ff9b::8.8.4.4", "2002:808:404::", "::ffff:10.0.0.9", "2606:4700::9"})
            QVERIFY2(classify(*IpAddress::parse(text), own) == OwnHost, text);
        QVERIFY(classify(*IpAddress::parse("127.0.0.1"), own) == Loopback);
        QVERIFY(classify(*IpAddress::parse("8.8.8.8"), own) == Public);
    }

    void documentation_networks_are_public_even_as_own_addresses() {
        for (const char* text : {"192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"})
            QVERIFY2(classify(*IpAddress::parse(text), {*IpAddress::parse(text)}) == Public, text);
    }

    void a_description_names_the_wrapping() {
        QCOMPARE(describe(*IpAddress::parse("64:ff9b::169.254.169.254"), {}),
                 std::string("a metadata address (wrapped by NAT64)"));
        QCOMPARE(describe(*IpAddress::parse("2002:7f00:1::"), {}), std::string("a loopback address (wrapped by 6to4)"));
        QCOMPARE(describe(*IpAddress::parse("127.0.0.1"), {}), std::string("a loopback address"));
    }

    void networks_hold_what_shares_their_bits() {
        const auto in = [](const char* ip, const char* network, unsigned length) {
            return in_network(*IpAddress::parse(ip), *IpAddress::parse(network), length);
        };
        QVERIFY(in("10.1.2.255", "10.1.2.0", 24) && !in("10.1.3.0", "10.1.2.0", 24));
        QVERIFY(in("10.1.2.128", "10.1.2.128", 25) && !in("10.1.2.127", "10.1.2.128", 25));
        QVERIFY(in("192.0.2.7", "192.0.2.7", 32) && !in("192.0.2.6", "192.0.2.7", 32));
        QVERIFY(in("8.8.8.8", "0.0.0.0", 0) && !in("2001:db8::1", "0.0.0.0", 0) && !in("8.8.8.8", "::", 0));
        QVERIFY(in("2001:db8::1", "2001:db8::", 32) && !in("2001:db9::1", "2001:db8::", 32));
        QVERIFY(!in("8.8.8.8", "8.8.8.8", 33));
    }
};

QTEST_GUILESS_MAIN(TestAddressClass)
#include "test_address_class.moc"
