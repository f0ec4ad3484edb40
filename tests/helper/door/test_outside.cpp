#include "helper/supervisor/dial.h"
#include "helper/supervisor/outside.h"

#include "fakes.h"

#include <QtTest>
#include <netinet/in.h>

using namespace belljar;
using namespace belljar::test;

class TestOutside : public QObject {
    Q_OBJECT

    struct Way {
        boost::asio::io_context loop;
        FakeResolver resolver;
        std::unique_ptr<Outside> outside;
        explicit Way(std::vector<std::string> private_names = {}) {
            EgressPolicy policy;
            EgressPolicy::Set set{"test", {}, {}, {}};
            set.allow.push_back(HostPattern::parse("*.example.net").value());
            for (const auto& name : private_names)
                set.private_names.push_back(HostPattern::parse(name).value());
            policy.sets = {set};
            outside = Outside::make(loop, std::move(resolver.client), policy);
        }
        std::optional<Resolution> resolve(const std::string& name,
                                          std::chrono::milliseconds patience = std::chrono::seconds(3)) {
            std::optional<Resolution> result;
            Destination destination;
            destination.name = name;
            destination.port = 443;
            outside->resolve(destination, [&](Resolution found) { result = std::move(found); });
            run_until(
                loop,
                [&] {
                    resolver.serve();
                    return result.has_value();
                },
                patience);
            return result;
        }
    };
    static std::vector<std::string> texts(const std::vector<IpAddress>& addresses) {
        std::vector<std::string> out;
        for (const IpAddress& ip : addresses)
            out.push_back(ip.text());
        return out;
    }
    // A port of 127.0.0.1 on which nobody listens, or somebody does.
    static UniqueFd bound(std::uint16_t& port, bool listening) {
        UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) return {};
        if (listening) ::listen(fd.get(), 8);
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
        port = ntohs(address.sin_port);
        return fd;
    }

private slots:
    void resolves_a_name_once_and_keeps_the_answer() {
        Way way;
        way.resolver.names["a.example.net"] = {"2001:db8::1", "192.0.2.1"};
        for (int i = 0; i < 3; ++i)
            QCOMPARE(texts(way.resolve("a.example.net")->addresses),
                     (std::vector<std::string>{"2001:db8::1", "192.0.2.1"}));
        QCOMPARE(way.resolver.asked.size(), std::size_t(1));
    }

    void asks_again_after_a_failure() {
        Way way;
        way.resolver.names["a.example.net"] = {};
        const auto failed = way.resolve("a.example.net");
        QVERIFY(!failed->refused);
        QCOMPARE(failed->errno_value, EHOSTUNREACH);
        QCOMPARE(failed->reason, std::string("a.example.net does not resolve: Name or service not known"));
        way.resolver.names["a.example.net"] = {"192.0.2.1"};
        QCOMPARE(way.resolve("a.example.net")->addresses.size(), std::size_t(1));
    }

    void asks_one_question_for_all_who_wait() {
        Way way;
        int answered = 0;
        Destination destination;
        destination.name = "a.example.net";
        for (int i = 0; i < 50; ++i)
            way.outside->resolve(destination, [&](Resolution) { ++answered; });
        way.resolver.names["a.example.net"] = {"192.0.2.1"};
        QVERIFY(run_until(way.loop, [&] {
            way.resolver.serve();
            return answered == 50;
        }));
        QCOMPARE(way.resolver.asked.size(), std::size_t(1));
    }

    void resolves_hundreds_of_names_at_once() {
        Way way;
        int answered = 0;
        for (int i = 0; i < 500; ++i) {
            Destination destination;
            destination.name = std::to_string(i) + ".example.net";
            way.resolver.names[destination.name] = {"192.0.2.1"};
            way.outside->resolve(destination, [&](Resolution found) { answered += !found.addresses.empty(); });
        }
        QVERIFY(run_until(way.loop, [&] {
            way.resolver.serve();
            return answered == 500;
        }));
    }

    void leaves_out_what_must_not_be_reached_and_keeps_the_rest() {
        Way way;
        way.resolver.names["a.example.net"] = {"10.0.0.1", "192.0.2.1", "::1"};
        const auto found = way.resolve("a.example.net");
        QCOMPARE(texts(found->addresses), std::vector<std::string>{"192.0.2.1"});
        QVERIFY(!found->refused && found->reason.empty());
    }

    void refuses_a_name_of_which_nothing_is_left() {
        Way way;
        way.resolver.names["a.example.net"] = {"127.0.0.1", "10.0.0.1"};
        const auto found = way.resolve("a.example.net");
        QVERIFY(found->refused && found->addresses.empty());
        QVERIFY(found->reason.find("loopback") != std::string::npos);
        Way listed({"a.example.net"});
        listed.resolver.names = way.resolver.names;
        QCOMPARE(listed.resolve("a.example.net")->addresses.size(), std::size_t(2));
    }

    void fails_closed_when_the_resolver_is_gone_data() {
        QTest::addColumn<QString>("last_words");
        QTest::newRow("in silence") << "";
        QTest::newRow("with something unreadable") << "}";
        QTest::newRow("with no number") << R"({"request": "1"})";
    }
    void fails_closed_when_the_resolver_is_gone() {
        QFETCH(QString, last_words);
        Way way;
        const std::string words = last_words.toStdString();
        if (!words.empty()) QVERIFY(::send(way.resolver.server.get(), words.data(), words.size(), 0) > 0);
        if (words.empty()) way.resolver.server.reset();
        way.resolver.names["a.example.net"] = {"192.0.2.1"};
        for (int i = 0; i < 2; ++i) {
            const auto found = way.resolve("a.example.net");
            QVERIFY(found && found->addresses.empty() && !found->refused);
            QCOMPARE(found->errno_value, EHOSTUNREACH);
        }
    }

    void ignores_an_answer_to_nothing_and_odd_addresses() {
        Way way;
        const std::string stray = R"({"request": 99, "addresses": ["192.0.2.66"]})";
        QVERIFY(::send(way.resolver.server.get(), stray.data(), stray.size(), 0) > 0);
        way.resolver.names["a.example.net"] = {"0x7f.1", "not an address", "192.0.2.1"};
        QCOMPARE(texts(way.resolve("a.example.net")->addresses), std::vector<std::string>{"192.0.2.1"});
    }

    void takes_a_host_service_to_the_host_s_loopback() {
        Way way;
        std::vector<IpAddress> found;
        Destination destination;
        destination.host_service = true;
        destination.port = 8080;
        way.outside->resolve(destination, [&](Resolution resolution) { found = resolution.addresses; });
        QVERIFY(run_until(way.loop, [&] { return !found.empty(); }));
        QCOMPARE(texts(found), (std::vector<std::string>{"127.0.0.1", "::1"}));
    }

    void lets_the_families_take_turns() {
        std::vector<IpAddress> given;
        for (const char* ip : {"2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1"})
            given.push_back(*IpAddress::parse(ip));
        QCOMPARE(texts(interleaved(given)),
                 (std::vector<std::string>{"2001:db8::1", "192.0.2.1", "2001:db8::2", "2001:db8::3"}));
        QVERIFY(interleaved({}).empty());
    }

    void connects_to_the_address_that_answers() {
        Way way;
        std::uint16_t port = 0;
        const UniqueFd listener = bound(port, true);
        std::optional<int> error;
        UniqueFd socket;
        IpAddress reached;
        way.outside->dial(Resolution{.addresses = {*IpAddress::parse("::1"), *IpAddress::parse("127.0.0.1")}}, port,
                          [&](Reached result) {
                              error = result.errno_value;
                              socket = std::move(result.socket);
                              reached = result.ip;
                          });
        QVERIFY(run_until(way.loop, [&] { return error.has_value(); }));
        QCOMPARE(*error, 0);
        QCOMPARE(reached.text(), std::string("127.0.0.1"));
        QVERIFY(::send(socket.get(), "x", 1, MSG_NOSIGNAL) == 1);
    }

    void reports_the_errno_of_the_last_try() {
        Way way;
        std::uint16_t port = 0;
        const UniqueFd nobody = bound(port, false);
        std::optional<int> error;
        std::string reason;
        const auto done = [&](Reached result) {
            error = result.errno_value;
            reason = result.reason;
        };
        way.outside->dial(Resolution{.addresses = {*IpAddress::parse("127.0.0.1")}}, port, done);
        QVERIFY(run_until(way.loop, [&] { return error.has_value(); }));
        QCOMPARE(*error, ECONNREFUSED);
        QCOMPARE(reason, std::string("connect: Connection refused"));
        error.reset();
        way.outside->dial(Resolution{}, port, done);
        QVERIFY(run_until(way.loop, [&] { return error.has_value(); }));
        QCOMPARE(*error, EHOSTUNREACH);
    }

    void gives_up_when_its_patience_is_over() {
        boost::asio::io_context loop;
        std::uint16_t port = 0;
        const UniqueFd full = bound(port, true);
        ::listen(full.get(), 0); // a backlog of one, filled: the next SYN is dropped
        std::vector<UniqueFd> fillers;
        for (int i = 0; i < 4; ++i) {
            fillers.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
            sockaddr_storage address{};
            const socklen_t length = Endpoint{*IpAddress::parse("127.0.0.1"), port}.to(address);
            ::connect(fillers.back().get(), reinterpret_cast<sockaddr*>(&address), length);
        }
        std::optional<int> error;
        dial_any(
            loop, {*IpAddress::parse("127.0.0.1")}, port, [&](int e, UniqueFd, IpAddress) { error = e; },
            std::chrono::milliseconds(300));
        QVERIFY(run_until(
            loop, [&] { return error.has_value(); }, std::chrono::seconds(3)));
        QCOMPARE(*error, ETIMEDOUT);
    }

    void calls_nobody_after_it_is_gone() {
        Way way;
        bool called = false;
        Destination destination;
        destination.name = "slow.example.net";
        way.outside->resolve(destination, [&](Resolution) { called = true; });
        way.outside.reset();
        run_until(
            way.loop, [] { return false; }, std::chrono::milliseconds(100));
        QVERIFY(!called);
    }
};

QTEST_GUILESS_MAIN(TestOutside)
#include "test_outside.moc"
