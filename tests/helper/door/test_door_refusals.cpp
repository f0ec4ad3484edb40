#include "tests/core/egress_parsers/hello_bytes.h"
#include "world_main.h"

#include <sys/resource.h>

using namespace belljar;
using namespace belljar::test;

Q_DECLARE_METATYPE(std::string)

class TestDoorRefusals : public QObject {
    Q_OBJECT

    // That nothing at all arrived outside.
    static bool nothing_arrived(int listener) {
        return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC) < 0 && errno == EAGAIN;
    }

private slots:
    void cuts_what_comes_without_a_verdict_and_records_it() {
        Bench bench({{"example.net:22"}});
        const UniqueFd listener = listen_outside(22);
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        const Json denied = bench.recorder.last("egress", "denied");
        QCOMPARE(denied["reason"].get<std::string>(), std::string("no verdict for this connection"));
        QCOMPARE(denied["host"].get<std::string>(), std::string("example.net"));
        QCOMPARE(denied["port"].get<int>(), 22);
        QVERIFY(nothing_arrived(listener.get()));
    }

    void takes_no_verdict_for_another_destination() {
        Bench bench({{"192.0.2.0/24:22"}});
        const UniqueFd listener = listen_outside(22);
        const Endpoint judged{*IpAddress::parse("192.0.2.1"), 22}, other{*IpAddress::parse("203.0.113.9"), 22};
        const UniqueFd client = bench.connect(other);
        ExpectedConnection connection = bench.expected(client.get(), judged);
        connection.committed = true;
        bench.door->expect(std::move(connection));
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        QCOMPARE(bench.recorder.last("egress", "denied")["ip"].get<std::string>(), std::string("203.0.113.9"));
        QVERIFY(nothing_arrived(listener.get()));
    }

    void says_when_an_allowed_connection_never_comes() {
        Bench bench({{"example.net:22"}});
        const Endpoint original = bench.stand_in("example.net", 22);
        ExpectedConnection connection;
        connection.conn = 5;
        connection.source = {*IpAddress::parse("198.18.0.1"), 55555};
        connection.original = original;
        connection.destination = bench.judge.judge(original, Transport::Tcp).destination;
        connection.committed = true;
        bench.door->expect(std::move(connection));
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 1; }, std::chrono::seconds(13)));
        QCOMPARE(bench.recorder.last("egress-closed")["reason"].get<std::string>(),
                 std::string("the connection never reached the door"));
    }

    void judges_once_more_itself() {
        Bench bench({{"192.0.2.1:22"}});
        const UniqueFd listener = listen_outside(22);
        const Endpoint original{*IpAddress::parse("192.0.2.2"), 22};
        const UniqueFd client = bench.connect(original);
        bench.door->expect(bench.expected(client.get(), original)); // a broker that errs
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        QCOMPARE(bench.recorder.count("egress", "allowed"), std::size_t(0));
        QCOMPARE(bench.recorder.last("egress", "denied")["pid"].get<int>(), 42);
        QVERIFY(nothing_arrived(listener.get()));
    }

    void does_not_dial_for_another_name_than_the_one_it_judges() {
        Bench bench({{"example.net:22", "other.test:22"}});
        bench.resolver.names["other.test"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        ExpectedConnection connection = bench.expected(client.get(), original);
        connection.destination.name = "other.test";
        bench.door->expect(std::move(connection));
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        QVERIFY(bench.resolver.asked.empty());
        QVERIFY(nothing_arrived(listener.get()));
    }

    void refuses_a_name_that_resolves_to_what_it_must_not_data() {
        QTest::addColumn<QString>("address");
        for (const char* address : {"127.0.0.1", "10.1.2.3", "100.64.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1",
                                    "64:ff9b::a00:1", "198.18.0.1"})
            QTest::newRow(address) << address;
    }
    void refuses_a_name_that_resolves_to_what_it_must_not() {
        QFETCH(QString, address);
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {address.toStdString()};
        const UniqueFd listener = listen_outside(22), listener6 = listen_outside(22, AF_INET6);
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        bench.door->expect(bench.expected(client.get(), original));
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        QCOMPARE(bench.recorder.count("egress", "denied"), std::size_t(1));
        QCOMPARE(bench.recorder.count("egress", "allowed"), std::size_t(0));
        QVERIFY(nothing_arrived(listener.get()) && nothing_arrived(listener6.get()));
    }

    void reaches_a_private_address_once_it_is_listed() {
        Bench bench({.allow = {"example.net:22"}, .private_names = {"example.net"}});
        bench.resolver.names["example.net"] = {"10.1.2.3"};
        const UniqueFd listener = listen_outside(22);
        QVERIFY(bench.open(bench.stand_in("example.net", 22), listener.get()).server);
    }

    void resets_and_says_why_when_the_name_does_not_resolve() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {};
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        bench.door->expect(bench.expected(client.get(), original));
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        const auto reason = bench.recorder.last("egress-closed")["reason"].get<std::string>();
        QCOMPARE(reason, std::string("example.net does not resolve: Name or service not known"));
    }

    void resets_and_says_why_when_nobody_listens() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        bench.door->expect(bench.expected(client.get(), original));
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        QCOMPARE(bench.recorder.last("egress-closed")["reason"].get<std::string>(),
                 std::string("connect: Connection refused"));
    }

    void lets_nothing_go_that_cannot_be_recorded() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        bench.recorder.broken = true;
        const UniqueFd listener = listen_outside(22);
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        bench.door->expect(bench.expected(client.get(), original));
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        QVERIFY(nothing_arrived(listener.get()));
    }

    void lets_no_byte_of_wrong_first_bytes_out_data() {
        QTest::addColumn<int>("port");
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<bool>("then_ends");
        QTest::addColumn<std::string>("reason");
        QTest::newRow("another server name") << 443 << client_hello("evil.test") << false
                                             << std::string("the TLS server name is evil.test, not example.net");
        QTest::newRow("no server name") << 443 << record(handshake(hello_body(grease(1)))) << false
                                        << std::string(
                                               "the TLS ClientHello has no server name, and example.net is needed");
        QTest::newRow("no TLS") << 443 << std::string("SSH-2.0-x\r\n") << false
                                << std::string("the first bytes are not TLS");
        QTest::newRow("half a hello") << 443 << client_hello("example.net").substr(0, 60) << true
                                      << std::string("the connection ended before its TLS ClientHello was complete");
        QTest::newRow("another host") << 80 << std::string("GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n") << false
                                      << std::string("the HTTP Host is evil.test, not example.net");
        QTest::newRow("silence") << 443 << std::string() << false
                                 << std::string("no complete TLS ClientHello came in time");
    }
    void lets_no_byte_of_wrong_first_bytes_out() {
        QFETCH(int, port);
        QFETCH(std::string, bytes);
        QFETCH(bool, then_ends);
        QFETCH(std::string, reason);
        Bench bench({{"example.net"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(static_cast<std::uint16_t>(port));
        auto ends = bench.open(bench.stand_in("example.net", static_cast<std::uint16_t>(port)), listener.get());
        QVERIFY(ends.server);
        bench.send(ends.client.get(), bytes);
        if (then_ends) ::shutdown(ends.client.get(), SHUT_WR);
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 1; }, std::chrono::seconds(15)));
        QCOMPARE(bench.ending(ends.client.get()), std::string("reset"));
        char byte = 0;
        QCOMPARE(::recv(ends.server.get(), &byte, 1, MSG_DONTWAIT), ssize_t(0)); // it ended, and nothing had come
        const Json denied = bench.recorder.last("egress", "denied");
        QCOMPARE(denied["reason"].get<std::string>(), reason);
        QCOMPARE(denied["conn"].get<std::uint64_t>(), ends.conn);
        const Json closed = bench.recorder.last("egress-closed");
        QCOMPARE(closed["bytes_sent"].get<int>(), 0);
        QCOMPARE(closed["reason"].get<std::string>(), "denied: " + reason);
    }

    void does_not_call_it_a_denial_when_a_caller_comes_and_goes() {
        Bench bench({{"example.net"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(443);
        auto ends = bench.open(bench.stand_in("example.net", 443), listener.get());
        ends.client.reset();
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 1; }));
        QCOMPARE(bench.recorder.count("egress", "denied"), std::size_t(0));
        QCOMPARE(bench.recorder.last("egress-closed")["reason"].get<std::string>(),
                 std::string("closed by the session before it sent anything"));
    }
};

BELLJAR_WORLD_TEST_MAIN(TestDoorRefusals)
#include "test_door_refusals.moc"
