#include "helper/supervisor/judge.h"

#include <QtTest>
#include <set>

using namespace belljar;

class TestJudge : public QObject {
    Q_OBJECT

    static Judge make(std::vector<std::string> allow, std::vector<std::string> deny = {}) {
        SessionSpec spec;
        spec.egress = {EgressRules{"test", "deny", std::move(allow), std::move(deny), {}}};
        return std::move(Judge::make(spec).value());
    }
    static Endpoint at(const char* ip, std::uint16_t port) { return {*IpAddress::parse(ip), port}; }

private slots:
    void knows_what_is_the_session_s_own_data() {
        QTest::addColumn<QString>("ip");
        for (const char* ip : {"127.0.0.1", "127.1.2.3", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"})
            QTest::newRow(ip) << ip;
    }
    void knows_what_is_the_session_s_own() {
        QFETCH(QString, ip);
        Judge judge = make({"host:8080"});
        judge.close_port(40000);
        const auto endpoint = [&](std::uint16_t port) { return Endpoint{*IpAddress::parse(ip.toStdString()), port}; };
        QCOMPARE(judge.judge(endpoint(80), Transport::Tcp).kind, Judgement::Kind::Own);
        QCOMPARE(judge.judge(endpoint(53), Transport::Udp).kind, Judgement::Kind::Own);
        QCOMPARE(judge.judge(endpoint(8080), Transport::Udp).kind, Judgement::Kind::Own);
        QCOMPARE(judge.judge(endpoint(40000), Transport::Tcp).kind, Judgement::Kind::Denied);
        QCOMPARE(judge.judge(endpoint(40000), Transport::Udp).kind, Judgement::Kind::Denied);
        const Judgement service = judge.judge(endpoint(8080), Transport::Tcp);
        QCOMPARE(service.kind, Judgement::Kind::Allowed);
        QVERIFY(service.destination.host_service);
        QCOMPARE(service.verdict.rule, std::string("host:8080"));
    }

    void does_not_take_wrapped_loopback_for_its_own() {
        const Judge judge = make({});
        for (const char* ip : {"::2", "::127.0.0.1", "64:ff9b::7f00:1", "1.0.0.127", "128.0.0.1"})
            QCOMPARE(judge.judge(at(ip, 80), Transport::Tcp).kind, Judgement::Kind::Denied);
    }

    void takes_port_53_of_any_other_address_for_dns() {
        const Judge judge = make({});
        for (const char* ip : {"8.8.8.8", "198.18.0.9", "2001:db8::1", "10.0.0.1"}) {
            QCOMPARE(judge.judge(at(ip, 53), Transport::Udp).kind, Judgement::Kind::Dns);
            QCOMPARE(judge.judge(at(ip, 53), Transport::Tcp).kind, Judgement::Kind::Dns);
        }
        QCOMPARE(judge.judge(at("8.8.8.8", 54), Transport::Udp).kind, Judgement::Kind::Denied);
    }

    void judges_a_stand_in_by_its_name() {
        Judge judge = make({"example.net", "ssh.example.net:22"}, {"gist.example.net"});
        const IpAddress stand_in = *judge.stand_in("example.net");
        const Judgement web = judge.judge({stand_in, 443}, Transport::Tcp);
        QCOMPARE(web.kind, Judgement::Kind::Allowed);
        QCOMPARE(web.destination.name, std::string("example.net"));
        QCOMPARE(judge.judge({stand_in, 22}, Transport::Tcp).kind, Judgement::Kind::Denied);
        QCOMPARE(judge.judge({stand_in, 443}, Transport::Udp).kind, Judgement::Kind::Denied);
    }

    void denies_a_stand_in_that_stands_for_nothing_whatever_networks_are_allowed() {
        const Judge judge = make({"198.18.0.0/15:443", "0.0.0.0/0:443"});
        const Judgement unknown = judge.judge(at("198.18.0.1", 443), Transport::Tcp);
        QCOMPARE(unknown.kind, Judgement::Kind::Denied);
        QVERIFY(unknown.verdict.reason.find("stands for no name") != std::string::npos);
        QCOMPARE(judge.judge(at("198.19.255.254", 443), Transport::Tcp).kind, Judgement::Kind::Denied);
        QCOMPARE(judge.judge(at("198.20.0.1", 443), Transport::Tcp).kind, Judgement::Kind::Allowed);
    }

    void keeps_each_stand_in_for_the_session() {
        Judge judge = make({"*.example.net"});
        const auto a = judge.stand_in("a.example.net"), b = judge.stand_in("b.example.net");
        QVERIFY(a && b && *a != *b);
        QVERIFY(*a != *IpAddress::parse("198.18.0.1") && *b != *IpAddress::parse("198.18.0.0"));
        QCOMPARE(*judge.stand_in("a.example.net"), *a);
        QCOMPARE(*judge.name_of(*b), std::string("b.example.net"));
        QVERIFY(!judge.name_of(*IpAddress::parse("198.18.77.77")) && !judge.name_of(*IpAddress::parse("2001:db8::1")));
    }

    void never_recycles_a_stand_in() {
        Judge judge = make({"*.example.net"});
        std::set<IpAddress> seen;
        int made = 0;
        while (const auto ip = judge.stand_in(std::to_string(made) + ".example.net")) {
            seen.insert(*ip);
            ++made;
        }
        QCOMPARE(made, 0x20000 - 3); // all but the network's, lo's and the broadcast address
        QCOMPARE(seen.size(), static_cast<std::size_t>(made));
        QVERIFY(judge.stand_in("7.example.net").has_value());
    }

    void refuses_a_spec_that_it_could_not_keep() {
        SessionSpec ask, odd;
        ask.egress = {EgressRules{"test", "ask", {}, {}, {}}};
        QVERIFY(!Judge::make(ask).has_value());
        odd.egress = {EgressRules{"test", "deny", {"*.com"}, {}, {}}};
        const auto made = Judge::make(odd);
        QVERIFY(!made.has_value());
        QVERIFY(made.error().message().find("test") != std::string::npos);
    }

    void lets_a_second_set_only_narrow() {
        SessionSpec spec;
        spec.egress = {EgressRules{"user", "deny", {"host:8080", "192.0.2.0/24:443"}, {}, {}},
                       EgressRules{"workspace", "deny", {"192.0.2.7:443"}, {}, {}}};
        const Judge judge = std::move(Judge::make(spec).value());
        QCOMPARE(judge.judge(at("127.0.0.1", 8080), Transport::Tcp).kind, Judgement::Kind::Denied);
        QCOMPARE(judge.judge(at("192.0.2.7", 443), Transport::Tcp).kind, Judgement::Kind::Allowed);
        QCOMPARE(judge.judge(at("192.0.2.8", 443), Transport::Tcp).kind, Judgement::Kind::Denied);
    }

    void allows_nothing_without_rules() {
        const Judge judge = std::move(Judge::make(SessionSpec()).value());
        QCOMPARE(judge.judge(at("192.0.2.7", 443), Transport::Tcp).kind, Judgement::Kind::Denied);
    }
};

QTEST_GUILESS_MAIN(TestJudge)
#include "test_judge.moc"
