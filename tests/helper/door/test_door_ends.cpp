#include "tests/core/egress_parsers/hello_bytes.h"
#include "world_main.h"

using namespace belljar;
using namespace belljar::test;

class TestDoorEnds : public QObject {
    Q_OBJECT

private slots:
    void cuts_one_while_the_others_go_on() {
        Bench bench({{"example.net:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        auto cut = bench.open(bench.stand_in("example.net", 22), listener.get());
        auto other = bench.open(bench.stand_in("example.net", 22), listener.get());
        bench.send(cut.client.get(), "abc");
        QCOMPARE(bench.receive(cut.server.get(), 3), std::string("abc"));
        QVERIFY(bench.door->cut(cut.conn, "cut by the user"));
        QCOMPARE(bench.ending(cut.client.get()), std::string("reset"));
        QCOMPARE(bench.ending(cut.server.get()), std::string("reset"));
        QVERIFY(bench.run_until([&] { return bench.recorder.count("egress-closed") == 1; }));
        const Json closed = bench.recorder.last("egress-closed");
        QCOMPARE(closed["conn"].get<std::uint64_t>(), cut.conn);
        QCOMPARE(closed["reason"].get<std::string>(), std::string("cut by the user"));
        QCOMPARE(closed["bytes_sent"].get<int>(), 3);
        bench.send(other.client.get(), "still here");
        QCOMPARE(bench.receive(other.server.get(), 10), std::string("still here"));
        QVERIFY(!bench.door->cut(cut.conn, "again"));
        QVERIFY(!bench.door->cut(999, "never was"));
    }

    void cuts_one_whose_first_bytes_are_awaited() {
        Bench bench({{"example.net"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(443);
        auto ends = bench.open(bench.stand_in("example.net", 443), listener.get());
        bench.send(ends.client.get(), client_hello("example.net").substr(0, 30));
        bench.run_until([] { return false; }, std::chrono::milliseconds(50));
        QVERIFY(bench.door->cut(ends.conn, "cut by the user"));
        QCOMPARE(bench.ending(ends.client.get()), std::string("reset"));
        QCOMPARE(bench.ending(ends.server.get()), std::string("closed"));
        QCOMPARE(bench.recorder.count("egress-closed"), std::size_t(1));
    }

    void cuts_one_that_still_resolves() {
        Bench bench({{"example.net:22"}}); // the resolver never answers
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        ExpectedConnection connection = bench.expected(client.get(), original);
        connection.committed = true;
        const std::uint64_t conn = connection.conn;
        bench.door->expect(std::move(connection));
        QVERIFY(bench.run_until([&] { return !bench.resolver.asked.empty(); }));
        QVERIFY(bench.door->cut(conn, "cut by the user"));
        QCOMPARE(bench.ending(client.get()), std::string("reset"));
        QCOMPARE(bench.recorder.last("egress-closed")["reason"].get<std::string>(), std::string("cut by the user"));
    }

    void gives_each_open_connection_its_end_before_close_all_returns() {
        Bench bench({{"example.net:*"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd ssh = listen_outside(22), web = listen_outside(443);
        auto relayed = bench.open(bench.stand_in("example.net", 22), ssh.get());
        auto waiting = bench.open(bench.stand_in("example.net", 443), web.get());
        const Endpoint original = bench.stand_in("example.net", 22);
        ExpectedConnection absent = bench.expected(relayed.client.get(), original);
        absent.source.port = 1;
        absent.committed = true;
        bench.door->expect(std::move(absent));
        bench.send(relayed.client.get(), "abc");
        QCOMPARE(bench.receive(relayed.server.get(), 3), std::string("abc"));
        bench.door->close_all("the session ended");
        QCOMPARE(bench.recorder.count("egress-closed"), std::size_t(3));
        int sent = 0;
        for (const NewEvent& event : bench.recorder.events)
            if (event.kind == "egress-closed") sent += event.fields["bytes_sent"].get<int>();
        QCOMPARE(sent, 3);
        QVERIFY(bench.door->connections().empty());
        for (const int fd : {relayed.client.get(), relayed.server.get(), waiting.client.get()})
            QCOMPARE(bench.ending(fd), std::string("reset"));
    }

    void may_be_gone_while_everything_is_on_its_way() {
        Bench bench({{"example.net:22", "slow.test:22"}});
        bench.resolver.names["example.net"] = {"192.0.2.10"};
        const UniqueFd listener = listen_outside(22);
        const auto relayed = bench.open(bench.stand_in("example.net", 22), listener.get());
        const Endpoint original = bench.stand_in("slow.test", 22);
        const UniqueFd resolving = bench.connect(original), unpaired = bench.connect(original);
        bench.door->expect(bench.expected(resolving.get(), original));
        QVERIFY(bench.run_until([&] { return bench.resolver.asked.size() == 2; }));
        bench.door.reset();
        QCOMPARE(bench.recorder.count("egress-closed"), std::size_t(1));
        bench.resolver.names["slow.test"] = {"192.0.2.10"};
        const std::string late = R"({"request": 2, "addresses": ["192.0.2.10"]})";
        QVERIFY(::send(bench.resolver.server.get(), late.data(), late.size(), MSG_NOSIGNAL) > 0);
        bench.run_until([] { return false; }, std::chrono::milliseconds(200));
        QCOMPARE(bench.ending(resolving.get()), std::string("reset"));
        QVERIFY(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC) < 0);
    }

    void takes_nothing_after_close_all() {
        Bench bench({{"example.net:22"}});
        const Endpoint original = bench.stand_in("example.net", 22);
        const UniqueFd client = bench.connect(original);
        ExpectedConnection connection = bench.expected(client.get(), original);
        connection.committed = true;
        bench.door->close_all("the session ended");
        bench.door->expect(std::move(connection));
        QCOMPARE(bench.recorder.count("egress-closed"), std::size_t(1));
        bench.door->close_all("once more");
        QCOMPARE(bench.recorder.count("egress-closed"), std::size_t(1));
    }
};

BELLJAR_WORLD_TEST_MAIN(TestDoorEnds)
#include "test_door_ends.moc"
