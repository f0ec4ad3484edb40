#include "tests/core/egress_parsers/hello_bytes.h"
#include "world_main.h"

#include <poll.h>
#include <sys/resource.h>

using namespace belljar;
using namespace belljar::test;

class TestDoorRelays : public QObject {
    Q_OBJECT

private slots:
    void carries_bytes_both_ways_and_counts_them() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        auto ends = bench.open(bench.stand_in("example.net", 22), listener.get());
        QVERIFY(ends.server);
        bench.send(ends.client.get(), "hello");
        QCOMPARE(bench.receive(ends.server.get(), 5), std::string("hello"));
        bench.send(ends.server.get(), "good day");
        QCOMPARE(bench.receive(ends.client.get(), 8), std::string("good day"));

        const auto open = bench.door->connections();
        QCOMPARE(open.size(), std::size_t(1));
        QCOMPARE(open[0].conn, ends.conn);
        QCOMPARE(open[0].bytes_sent, std::uint64_t(5));
        QCOMPARE(open[0].reached.text(), std::string("192.0.2.10"));
        QCOMPARE(open[0].process->pid, 42);

        ends.client.reset();
        QCOMPARE(bench.ending(ends.server.get()), std::string("closed"));
        ends.server.reset();
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 1; }));
        const Json closed = bench.recorder.last("egress-closed");
        QCOMPARE(closed["conn"].get<std::uint64_t>(), ends.conn);
        QCOMPARE(closed["bytes_sent"].get<int>(), 5);
        QCOMPARE(closed["bytes_received"].get<int>(), 8);
        QCOMPARE(closed["reason"].get<std::string>(), std::string("closed"));
        QVERIFY(bench.door->connections().empty());
    }

    void has_the_allow_in_the_record_before_it_dials() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        const Endpoint original = bench.stand_in("example.net", 22);
        bool dialled = false;
        bench.recorder.when_committing = [&] {
            pollfd arrived{listener.get(), POLLIN, 0};
            dialled = ::poll(&arrived, 1, 0) == 1;
        };
        const auto ends = bench.open(original, listener.get());
        QVERIFY(ends.server);
        QVERIFY2(!dialled, "the connection stood outside before its allow was in the record");
        QCOMPARE(bench.recorder.committed, std::vector<std::string>{"egress"});
        const Json allowed = bench.recorder.last("egress", "allowed");
        QCOMPARE(allowed["host"].get<std::string>(), std::string("example.net"));
        QCOMPARE(allowed["ip"].get<std::string>(), std::string("192.0.2.10"));
        QCOMPARE(allowed["rule"].get<std::string>(), std::string("example.net:22"));
        QCOMPARE(allowed["pid"].get<int>(), 42);
    }

    void pairs_in_either_order() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        bench.run_until([] { return false; }, std::chrono::milliseconds(200)); // accepted, and waits
        bench.door->expect(bench.expected(client.get(), original));
        const UniqueFd server = bench.accepted(listener.get());
        QVERIFY(server);
        bench.send(client.get(), "late verdict");
        QCOMPARE(bench.receive(server.get(), 12), std::string("late verdict"));
    }

    void uses_the_connection_that_a_blocking_caller_waited_for() {
        Bench bench({{"example.net:22"}});
        const UniqueFd listener = listen_outside(22);
        UniqueFd outside(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_storage address{};
        const socklen_t length = Endpoint{*IpAddress::parse("192.0.2.10"), 22}.to(address);
        QCOMPARE(::connect(outside.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
        const UniqueFd server = bench.accepted(listener.get());
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        ExpectedConnection connection = bench.expected(client.get(), original);
        connection.outside = std::move(outside);
        connection.committed = true;
        bench.door->expect(std::move(connection));
        bench.send(client.get(), "hello");
        QCOMPARE(bench.receive(server.get(), 5), std::string("hello"));
        QVERIFY(bench.resolver.asked.empty());
        QVERIFY(bench.recorder.committed.empty());
    }

    void passes_a_half_close_on_both_ways() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        for (const bool from_inside : {true, false}) {
            auto ends = bench.open(bench.stand_in("example.net", 22), listener.get());
            const int first = from_inside ? ends.client.get() : ends.server.get(),
                      second = from_inside ? ends.server.get() : ends.client.get();
            bench.send(first, "request");
            ::shutdown(first, SHUT_WR);
            QCOMPARE(bench.receive(second, 7), std::string("request"));
            QCOMPARE(bench.ending(second), std::string("closed"));
            bench.send(second, "answer"); // the other way is still open
            QCOMPARE(bench.receive(first, 6), std::string("answer"));
            ::shutdown(second, SHUT_WR);
            QCOMPARE(bench.ending(first), std::string("closed"));
        }
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 2; }));
        QCOMPARE(bench.recorder.last("egress-closed")["reason"].get<std::string>(), std::string("closed"));
    }

    void passes_a_reset_on_as_a_reset_data() {
        QTest::addColumn<bool>("inside");
        QTest::addColumn<bool>("half_closed");
        QTest::addColumn<QString>("reason");
        QTest::newRow("of the session") << true << false << "reset by the session";
        QTest::newRow("of the session, half closed before") << true << true << "reset by the session";
        QTest::newRow("of the other side") << false << false << "reset by the other side";
        QTest::newRow("of the other side, half closed before") << false << true << "reset by the other side";
    }
    void passes_a_reset_on_as_a_reset() {
        QFETCH(bool, inside);
        QFETCH(bool, half_closed);
        QFETCH(QString, reason);
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        auto ends = bench.open(bench.stand_in("example.net", 22), listener.get());
        bench.send(ends.client.get(), "x");
        QCOMPARE(bench.receive(ends.server.get(), 1), std::string("x"));
        UniqueFd& resetting = inside ? ends.client : ends.server;
        const int other = inside ? ends.server.get() : ends.client.get();
        if (half_closed) {
            ::shutdown(resetting.get(), SHUT_WR);
            QCOMPARE(bench.ending(other), std::string("closed"));
        }
        const linger at_once{1, 0};
        ::setsockopt(resetting.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        resetting.reset();
        if (!half_closed) QCOMPARE(bench.ending(other), std::string("reset"));
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 1; }));
        QCOMPARE(QString::fromStdString(bench.recorder.last("egress-closed")["reason"].get<std::string>()), reason);
    }

    // The first bytes are passed by the loop, the others by the relays: an error that the one has taken the other never
    // sees.
    void passes_on_a_reset_that_was_there_before_the_relay_data() {
        QTest::addColumn<bool>("inside");
        QTest::addColumn<QByteArray>("said");
        for (const bool inside : {true, false})
            for (const char* said : {"", "hello"})
                QTest::addRow("of %s, having said \"%s\"", inside ? "the session" : "the other side", said)
                    << inside << QByteArray(said);
    }
    void passes_on_a_reset_that_was_there_before_the_relay() {
        QFETCH(bool, inside);
        QFETCH(QByteArray, said);
        Bench bench({{"example.net:22"}});
        const UniqueFd listener = listen_outside(22);
        const Endpoint original = bench.stand_in("example.net", 22);
        UniqueFd client = bench.connect(original);
        UniqueFd outside(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        sockaddr_storage address{};
        const socklen_t length = Endpoint{*IpAddress::parse("192.0.2.10"), 22}.to(address);
        (void)::connect(outside.get(), reinterpret_cast<const sockaddr*>(&address), length);
        UniqueFd server = bench.accepted(listener.get());
        QVERIFY(server);
        ExpectedConnection connection = bench.expected(client.get(), original);
        connection.committed = true;
        connection.outside = std::move(outside);
        bench.run_until([] { return false; }, std::chrono::milliseconds(30)); // the door has accepted the client
        UniqueFd& resetting = inside ? client : server;
        const linger at_once{1, 0};
        ::setsockopt(resetting.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        QCOMPARE(::send(resetting.get(), said.data(), static_cast<std::size_t>(said.size()), MSG_NOSIGNAL),
                 said.size());
        resetting.reset();
        bench.door->expect(std::move(connection));
        const int other = inside ? server.get() : client.get();
        if (!inside) QCOMPARE(bench.receive(other, static_cast<std::size_t>(said.size())), said.toStdString());
        QCOMPARE(bench.ending(other), std::string("reset"));
    }

    void delivers_what_the_other_side_said_before_it_reset() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        auto ends = bench.open(bench.stand_in("example.net", 22), listener.get());
        bench.send(ends.client.get(), "an upload that is refused"); // left unread: closing resets
        QVERIFY(bench.run_until([&] { return bench.door->connections()[0].bytes_sent > 0; }));
        bench.send(ends.server.get(), "413 Too Large");
        QVERIFY(bench.run_until([&] { return bench.door->connections()[0].bytes_received == 13; }));
        ends.server.reset();
        QCOMPARE(bench.receive(ends.client.get(), 13), std::string("413 Too Large"));
        QCOMPARE(bench.ending(ends.client.get()), std::string("reset"));
    }

    void carries_much_past_a_slow_reader_unchanged() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        auto ends = bench.open(bench.stand_in("example.net", 22), listener.get());
        std::string bytes(48u << 20, '\0');
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<char>(i * 2654435761u >> 13);
        std::string got;
        std::size_t sent = 0;
        QVERIFY(bench.run_until(
            [&] {
                while (sent < bytes.size()) {
                    const ssize_t n = ::send(ends.client.get(), bytes.data() + sent, bytes.size() - sent,
                                             MSG_DONTWAIT | MSG_NOSIGNAL);
                    if (n <= 0) break;
                    sent += static_cast<std::size_t>(n);
                }
                if (sent == bytes.size()) ::shutdown(ends.client.get(), SHUT_WR);
                static std::array<char, 300 * 1024> part;
                const ssize_t n = ::recv(ends.server.get(), part.data(), part.size(), MSG_DONTWAIT);
                if (n > 0) got.append(part.data(), static_cast<std::size_t>(n));
                return n == 0;
            },
            std::chrono::seconds(60)));
        QVERIFY(got == bytes);
        ends.server.reset();
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 1; }));
        QCOMPARE(bench.recorder.last("egress-closed")["bytes_sent"].get<std::size_t>(), bytes.size());
    }

    void carries_two_thousand_at_once() {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        constexpr std::size_t kConnections = 2000;
        QVERIFY2(limit.rlim_max > 4 * kConnections + 100, "the hard limit of open files is too low for this test");
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        std::vector<Bench::Ends> all;
        for (std::size_t i = 0; i < kConnections; ++i) {
            all.push_back(bench.open(bench.stand_in("example.net", 22), listener.get()));
            QVERIFY(all.back().server);
        }
        for (std::size_t i = 0; i < kConnections; ++i)
            bench.send(all[i].client.get(), std::to_string(i + 10000));
        for (std::size_t i = 0; i < kConnections; ++i)
            QCOMPARE(bench.receive(all[i].server.get(), 5), std::to_string(i + 10000));
        QCOMPARE(bench.door->connections().size(), kConnections);
        // Stalled ones do not hold up the rest, however few pipes there are.
        const std::string much(1 << 16, 'x');
        for (std::size_t i = 0; i < 200; ++i)
            for (int n = 0;
                 n < 100 && ::send(all[i].client.get(), much.data(), much.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
                 ++n) {
            }
        bench.send(all.back().client.get(), "still here");
        QCOMPARE(bench.receive(all.back().server.get(), 10), std::string("still here"));
        bench.door->close_all("over");
        QCOMPARE(bench.recorder.count("egress-closed"), kConnections);
    }

    void reaches_an_address_that_a_rule_names_over_ipv6() {
        Bench bench({{"[2001:db8::]/32:7000"}});
        const UniqueFd listener = listen_outside(7000, AF_INET6);
        auto ends = bench.open({*IpAddress::parse("2001:db8::7"), 7000}, listener.get());
        QVERIFY(ends.server);
        bench.send(ends.client.get(), "six");
        QCOMPARE(bench.receive(ends.server.get(), 3), std::string("six"));
        QCOMPARE(bench.recorder.last("egress", "allowed")["ip"].get<std::string>(), std::string("2001:db8::7"));
    }

    void reaches_a_service_of_the_host_at_the_session_s_localhost_data() {
        QTest::addColumn<QString>("address");
        for (const char* address : {"127.0.0.1", "0.0.0.0", "::1", "::"})
            QTest::newRow(address) << address;
    }
    void reaches_a_service_of_the_host_at_the_session_s_localhost() {
        QFETCH(QString, address);
        Bench bench({.allow = {"host:8080"}, .host_services = {8080}});
        const UniqueFd listener = listen_outside(8080);
        auto ends = bench.open({*IpAddress::parse(address.toStdString()), 8080}, listener.get());
        QVERIFY(ends.server);
        QCOMPARE(local_endpoint(ends.server.get()).ip.text(), std::string("127.0.0.1"));
        bench.send(ends.client.get(), "GET / HTTP/1.1\r\n");
        QCOMPARE(bench.receive(ends.server.get(), 16), std::string("GET / HTTP/1.1\r\n"));
    }

    void reaches_a_service_of_the_host_that_listens_on_ipv6_only() {
        Bench bench({.allow = {"host:8081"}, .host_services = {8081}});
        const UniqueFd listener = listen_outside(8081, AF_INET6);
        const auto ends = bench.open({*IpAddress::parse("127.0.0.1"), 8081}, listener.get());
        QVERIFY(ends.server);
    }

    void lets_the_right_first_bytes_pass_with_all_that_was_read_data() {
        QTest::addColumn<int>("port");
        QTest::addColumn<QByteArray>("bytes");
        const Bytes tls = client_hello("Example.NET") + record("early data", 23),
                    http = "POST / HTTP/1.1\r\nHost: example.net\r\n\r\nbody";
        QTest::newRow("TLS") << 443 << QByteArray(tls.data(), static_cast<qsizetype>(tls.size()));
        QTest::newRow("HTTP") << 80 << QByteArray(http.data(), static_cast<qsizetype>(http.size()));
    }
    void lets_the_right_first_bytes_pass_with_all_that_was_read() {
        QFETCH(int, port);
        QFETCH(QByteArray, bytes);
        Bench bench({{"example.net"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(static_cast<std::uint16_t>(port));
        auto ends = bench.open(bench.stand_in("example.net", static_cast<std::uint16_t>(port)), listener.get());
        QVERIFY(ends.server);
        const std::string whole = bytes.toStdString();
        bench.send(ends.client.get(), std::string_view(whole).substr(0, 20));
        char byte = 0;
        QVERIFY(!bench.run_until([&] { return ::recv(ends.server.get(), &byte, 1, MSG_DONTWAIT) >= 0; },
                                 std::chrono::milliseconds(100)));
        bench.send(ends.client.get(), std::string_view(whole).substr(20));
        QCOMPARE(bench.receive(ends.server.get(), whole.size()), whole);
        bench.send(ends.server.get(), "answer");
        QCOMPARE(bench.receive(ends.client.get(), 6), std::string("answer"));
        QCOMPARE(bench.door->connections()[0].bytes_sent, static_cast<std::uint64_t>(whole.size()));
    }

    void lets_a_server_speak_first_where_the_rule_says_raw() {
        Bench bench({{"example.net:443/raw"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(443);
        auto ends = bench.open(bench.stand_in("example.net", 443), listener.get());
        bench.send(ends.server.get(), "SSH-2.0-x\r\n");
        QCOMPARE(bench.receive(ends.client.get(), 11), std::string("SSH-2.0-x\r\n"));
    }
};

BELLJAR_WORLD_TEST_MAIN(TestDoorRelays)
#include "test_door_relays.moc"
