#include "world_main.h"

using namespace belljar;
using namespace belljar::test;

class TestUdpDrop : public QObject {
    Q_OBJECT

    static void send_to(const UniqueFd& socket, const char* ip, std::uint16_t port) {
        sockaddr_storage address{};
        const socklen_t length = Endpoint{*IpAddress::parse(ip), port}.to(address);
        QCOMPARE(::sendto(socket.get(), "secret", 6, 0, reinterpret_cast<sockaddr*>(&address), length), ssize_t(6));
    }

private slots:
    void drops_and_records_a_datagram_by_its_original_destination_data() {
        QTest::addColumn<QString>("ip");
        QTest::newRow("IPv4") << "203.0.113.5";
        QTest::newRow("IPv6") << "2001:db8::5";
    }
    void drops_and_records_a_datagram_by_its_original_destination() {
        QFETCH(QString, ip);
        Bench bench({{"0.0.0.0/0:*"}});
        const std::string address = ip.toStdString();
        const UniqueFd socket =
            bench.network.socket(address.find(':') == std::string::npos ? AF_INET : AF_INET6, SOCK_DGRAM);
        send_to(socket, address.c_str(), 4433);
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress", "denied") == 1; }));
        const Json denied = bench.recorder.last("egress", "denied");
        QCOMPARE(denied["ip"].get<std::string>(), address);
        QCOMPARE(denied["port"].get<int>(), 4433);
        QCOMPARE(denied["proto"].get<std::string>(), std::string("udp"));
        QVERIFY(!denied["reason"].get<std::string>().empty());
    }

    void names_the_host_behind_a_stand_in() {
        Bench bench({{"example.net:*"}});
        const Endpoint quic = bench.stand_in("example.net", 443);
        send_to(bench.network.socket(AF_INET, SOCK_DGRAM), quic.ip.text().c_str(), 443);
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress", "denied") == 1; }));
        QCOMPARE(bench.recorder.last("egress", "denied")["host"].get<std::string>(), std::string("example.net"));
    }

    void counts_each_of_a_burst() {
        Bench bench(Rules{});
        const UniqueFd socket = bench.network.socket(AF_INET, SOCK_DGRAM);
        for (int i = 0; i < 150; ++i)
            send_to(socket, "203.0.113.5", 9);
        QVERIFY(bench.run_until(
            [&] { return !bench.recorder.events.empty() && bench.recorder.last("egress")["count"] == 150; }));
        QCOMPARE(bench.recorder.events.size(), std::size_t(1));
    }
};

BELLJAR_WORLD_TEST_MAIN(TestUdpDrop)
#include "test_udp_drop.moc"
