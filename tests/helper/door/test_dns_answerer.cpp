#include "dns_bytes.h"
#include "world_main.h"

using namespace belljar;
using namespace belljar::test;

namespace {

struct OneCaller final : DnsCallers {
    std::optional<Endpoint> asked;
    std::optional<ProcessIdentity> caller(const Endpoint& source) const override {
        if (asked && *asked == source) return ProcessIdentity{77, "/usr/bin/dig", {"dig"}};
        return std::nullopt;
    }
};

} // namespace

class TestDnsAnswerer : public QObject {
    Q_OBJECT

    struct DnsBench : Bench {
        DnsBench()
            : Bench({{"example.net"}}),
              answerer(DnsAnswerer::make(loop, network.take(true), judge, recorder, callers)) {}
        OneCaller callers;
        std::unique_ptr<DnsAnswerer> answerer;

        UniqueFd resolver_socket(const char* ip, int type) {
            const Endpoint server{*IpAddress::parse(ip), 53};
            UniqueFd socket = network.socket(server.ip.v6 ? AF_INET6 : AF_INET, type);
            sockaddr_storage address{};
            const socklen_t length = server.to(address);
            if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) return {};
            return socket;
        }
        Bytes ask(int fd, const Bytes& query) {
            (void)::send(fd, query.data(), query.size(), MSG_NOSIGNAL);
            char answer[4096];
            ssize_t length = 0;
            run_until([&] { return (length = ::recv(fd, answer, sizeof answer, MSG_DONTWAIT)) >= 0; },
                      std::chrono::seconds(2));
            return length > 0 ? Bytes(answer, static_cast<std::size_t>(length)) : Bytes();
        }
    };

private slots:
    void answers_from_whatever_address_was_asked_data() {
        QTest::addColumn<QString>("resolver");
        for (const char* ip : {"8.8.8.8", "198.18.0.53", "127.0.0.1", "2001:4860:4860::8888", "::1"})
            QTest::newRow(ip) << ip;
    }
    void answers_from_whatever_address_was_asked() {
        QFETCH(QString, resolver);
        DnsBench bench;
        // The socket is connected, so an answer from another address would not arrive.
        const UniqueFd socket = bench.resolver_socket(resolver.toUtf8().constData(), SOCK_DGRAM);
        QVERIFY(socket);
        const Bytes answer = bench.ask(socket.get(), dns_query("example.net", 1, 0xABCD));
        QCOMPARE(answer.substr(0, 2), number(0xABCD, 2));
        QCOMPARE(dns_answers(answer), 1);
        QCOMPARE(dns_rcode(bench.ask(socket.get(), dns_query("evil.test"))), 3);
    }

    void answers_several_queries_on_one_stream() {
        DnsBench bench;
        const UniqueFd socket = bench.resolver_socket("9.9.9.9", SOCK_STREAM);
        const Bytes query = vec(dns_query("example.net"), 2);
        const Bytes first = bench.ask(socket.get(), query);
        QCOMPARE(first.size(), std::size_t(2 + 12 + 17 + 16));
        QCOMPARE(dns_answers(first.substr(2)), 1);
        (void)::send(socket.get(), query.data(), 1, 0); // split where it hurts
        bench.run_until([] { return false; }, std::chrono::milliseconds(20));
        bench.send(socket.get(), query.substr(1) + query);
        QCOMPARE(bench.receive(socket.get(), 2 * first.size()), first + first);
    }

    void closes_a_stream_that_announces_too_much() {
        DnsBench bench;
        const UniqueFd socket = bench.resolver_socket("9.9.9.9", SOCK_STREAM);
        bench.send(socket.get(), number(65535, 2) + "x");
        QVERIFY(bench.ending(socket.get()) != "open");
    }

    void holds_only_so_many_streams() {
        DnsBench bench;
        std::vector<UniqueFd> idle;
        for (int i = 0; i < 64; ++i)
            idle.push_back(bench.resolver_socket("9.9.9.9", SOCK_STREAM));
        bench.run_until([] { return false; }, std::chrono::milliseconds(100));
        const UniqueFd one_more = bench.resolver_socket("9.9.9.9", SOCK_STREAM);
        QCOMPARE(bench.ending(one_more.get()), std::string("closed"));
        idle.clear();
        bench.run_until([] { return false; }, std::chrono::milliseconds(50));
        const UniqueFd again = bench.resolver_socket("9.9.9.9", SOCK_STREAM);
        QVERIFY(!bench.ask(again.get(), vec(dns_query("example.net"), 2)).empty());
    }

    void records_who_asked_for_what() {
        DnsBench bench;
        const UniqueFd socket = bench.resolver_socket("8.8.8.8", SOCK_DGRAM);
        bench.callers.asked = local_endpoint(socket.get());
        bench.ask(socket.get(), dns_query("evil.test", 28));
        Json event = bench.recorder.last("dns");
        QCOMPARE(event["name"].get<std::string>(), std::string("evil.test"));
        QCOMPARE(event["type"].get<std::string>(), std::string("AAAA"));
        QCOMPARE(event["verdict"].get<std::string>(), std::string("denied"));
        QCOMPARE(event["pid"].get<int>(), 77);
        bench.ask(socket.get(), dns_query("example.net"));
        event = bench.recorder.last("dns");
        QCOMPARE(event["verdict"].get<std::string>(), std::string("allowed"));
        QCOMPARE(event["rule"].get<std::string>(), std::string("example.net"));
    }

    void folds_what_is_asked_again_and_again() {
        DnsBench bench;
        const UniqueFd socket = bench.resolver_socket("8.8.8.8", SOCK_DGRAM);
        for (int i = 0; i < 20; ++i)
            bench.ask(socket.get(), dns_query("evil.test"));
        QCOMPARE(bench.recorder.count("dns"), std::size_t(1));
        QCOMPARE(bench.recorder.last("dns")["count"].get<int>(), 20);
    }

    void asks_nothing_upstream() {
        DnsBench bench;
        const UniqueFd socket = bench.resolver_socket("8.8.8.8", SOCK_DGRAM);
        bench.ask(socket.get(), dns_query("example.net"));
        bench.ask(socket.get(), dns_query("evil.test"));
        QVERIFY(bench.resolver.asked.empty());
    }

    void ends_with_its_holder() {
        DnsBench bench;
        const UniqueFd stream = bench.resolver_socket("9.9.9.9", SOCK_STREAM);
        bench.run_until([] { return false; }, std::chrono::milliseconds(50));
        bench.answerer.reset();
        bench.run_until([] { return false; }, std::chrono::milliseconds(50));
        QVERIFY(bench.ending(stream.get()) != "open");
    }
};

BELLJAR_WORLD_TEST_MAIN(TestDnsAnswerer)
#include "test_dns_answerer.moc"
