// The egress decision, row by row: rules on the left, a destination, the verdict and its reason on the right.
#include "core/egress/decision.h"

#include <QtTest>

using namespace belljar;

namespace {

std::vector<HostPattern> patterns(const QByteArray& list) {
    std::vector<HostPattern> out;
    for (const QByteArray& text : list.split(' '))
        if (!text.isEmpty()) out.push_back(*HostPattern::parse(text.toStdString(), true));
    return out;
}

EgressPolicy::Set set(const char* allow, const char* deny = "", const char* private_names = "",
                      const char* source = "default") {
    return {source, patterns(allow), patterns(deny), patterns(private_names)};
}

Destination to(const std::string& host, int port) {
    Destination destination;
    if (const auto ip = IpAddress::parse(host))
        destination.ip = *ip;
    else
        destination.name = host;
    destination.port = static_cast<std::uint16_t>(port);
    return destination;
}

const std::vector<IpAddress> kNoOwn;

} // namespace

class TestDecision : public QObject {
    Q_OBJECT

private slots:
    void nothing_written_down_allows_nothing() {
        for (const EgressPolicy& policy :
             {EgressPolicy{}, EgressPolicy{{set("")}}, EgressPolicy{{set("", "a.example", "b.example")}}}) {
            for (const char* host : {"github.com", "192.0.2.1", "10.0.0.1", "2001:db8::1", "b.example"})
                for (const int port : {22, 80, 443}) {
                    const Verdict verdict = decide(policy, to(host, port));
                    QVERIFY(!verdict.allowed && !verdict.reason.empty() && verdict.rule.empty());
                }
            QVERIFY(!decide_name(policy, "github.com").allowed);
            QVERIFY(!decide_name(policy, "").allowed);
            Destination service = to("127.0.0.1", 80);
            service.host_service = true;
            QVERIFY(!decide(policy, service).allowed);
        }
        QVERIFY(!decide_resolved({}, "github.com", *IpAddress::parse("8.8.8.8"), kNoOwn).allowed);
    }

    void destinations_are_judged_data() {
        QTest::addColumn<QByteArray>("allow");
        QTest::addColumn<QByteArray>("deny");
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<QByteArray>("rule"); // "-": not allowed, and no rule says so
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* title, const char* allow, const char* deny, const char* host, int port,
                            const char* rule, const char* reason) {
            QTest::newRow(title) << QByteArray(allow) << QByteArray(deny) << QByteArray(host) << port
                                 << QByteArray(rule) << QByteArray(reason);
        };
        row("an allowed name", "a.example github.com", "", "github.com", 443, "github.com", "allowed");
        row("port 80", "github.com", "", "github.com", 80, "github.com", "allowed");
        row("another port", "github.com", "", "github.com", 22, "-", "the rules allow other ports of it");
        row("the port that is named", "github.com:22", "", "github.com", 22, "github.com:22", "allowed");
        row("443 where another port is named", "github.com:22", "", "github.com", 443, "-",
            "the rules allow other ports of it");
        row("any port", "github.com:*", "", "github.com", 9418, "github.com:*", "allowed");
        row("the rule as written", "GitHub.COM.", "", "github.com", 443, "GitHub.COM.", "allowed");
        row("another name", "github.com", "", "notgithub.com", 443, "-", "no rule allows it");
        row("a name that starts alike", "apache.org", "", "apache.org.evil.test", 443, "-", "no rule allows it");
        row("a subdomain of a plain name", "github.com", "", "api.github.com", 443, "-", "no rule allows it");
        row("a subdomain", "*.github.com", "", "api.github.com", 443, "*.github.com", "allowed");
        row("deny wins", "*.github.com", "gist.github.com", "gist.github.com", 443, "gist.github.com",
            "denied by rule");
        row("deny wins over the same rule", "github.com", "github.com", "github.com", 443, "github.com",
            "denied by rule");
        row("deny without a port holds for every port", "*.github.com:*", "gist.github.com", "gist.github.com", 22,
            "gist.github.com", "denied by rule");
        row("deny with a port is for that port", "github.com:*", "github.com:22", "github.com", 443, "github.com:*",
            "allowed");
        row("deny with that port", "github.com:*", "github.com:22", "github.com", 22, "github.com:22",
            "denied by rule");
        row("an address under a name's rule", "github.com:*", "", "192.0.2.1", 443, "-", "no rule allows it");
        row("a name under an address's rule", "0.0.0.0/0:*", "", "github.com", 443, "-", "no rule allows it");
        row("an address", "192.0.2.7:22", "", "192.0.2.7", 22, "192.0.2.7:22", "allowed");
        row("a v4-mapped address", "192.0.2.7:22", "", "::ffff:192.0.2.7", 22, "192.0.2.7:22", "allowed");
        row("a denied v4-mapped address", "192.0.2.0/24:22", "192.0.2.7", "::ffff:192.0.2.7", 22, "192.0.2.7",
            "denied by rule");
        row("its neighbour", "192.0.2.7:22", "", "192.0.2.8", 22, "-", "no rule allows it");
        row("a private network", "10.1.2.0/24:5432", "", "10.1.2.200", 5432, "10.1.2.0/24:5432", "allowed");
        row("beside the network", "10.1.2.0/24:5432", "", "10.1.3.1", 5432, "-", "no rule allows it");
        row("everything public", "0.0.0.0/0", "", "192.0.2.1", 443, "0.0.0.0/0", "allowed");
        row("everything public is not private", "0.0.0.0/0", "", "10.0.0.1", 443, "-",
            "10.0.0.1 is a private address: no rule names it");
        row("everything public is not metadata", "0.0.0.0/0", "", "169.254.169.254", 80, "-",
            "169.254.169.254 is a metadata address: no rule names it");
        row("link-local is not metadata", "169.254.0.0/16", "", "169.254.169.254", 80, "-",
            "169.254.169.254 is a metadata address: no rule names it");
        row("an address written out is meant", "169.254.169.254", "", "169.254.169.254", 80, "169.254.169.254",
            "allowed");
        row("everything in IPv6 is not NAT64 of private", "[::]/0", "", "64:ff9b::10.0.0.1", 443, "-",
            "64:ff9b::a00:1 is a private address (wrapped by NAT64): no rule names it");
        row("everything in IPv6 is not IPv4", "[::]/0", "", "::ffff:192.0.2.1", 443, "-", "no rule allows it");
        row("the star covers names", "*", "", "example.net", 9999, "*", "allowed");
        row("the star covers public addresses", "*", "", "192.0.2.1", 9999, "*", "allowed");
        row("the star does not cover private addresses", "*", "", "192.168.1.1", 80, "-",
            "192.168.1.1 is a private address: no rule names it");
        row("a host service's rule is for host services", "host:11434", "", "host", 11434, "-", "no rule allows it");
    }
    void destinations_are_judged() {
        QFETCH(QByteArray, allow);
        QFETCH(QByteArray, deny);
        QFETCH(QByteArray, host);
        QFETCH(int, port);
        QFETCH(QByteArray, rule);
        QFETCH(QByteArray, reason);
        const EgressPolicy policy{{set(allow, deny)}};
        const Verdict verdict = decide(policy, to(host.toStdString(), port));
        QCOMPARE(QByteArray::fromStdString(verdict.reason), reason);
        QCOMPARE(verdict.allowed, reason == "allowed");
        QCOMPARE(QByteArray::fromStdString(verdict.rule), rule == "-" ? QByteArray() : rule);

        Destination datagram = to(host.toStdString(), port);
        datagram.transport = Transport::Udp;
        QVERIFY(!decide(policy, datagram).allowed);
        QCOMPARE(decide(policy, datagram).reason, std::string("UDP leaves only as DNS"));
    }

    void host_services_are_judged_by_their_own_rules_alone() {
        Destination service = to("127.0.0.1", 11434);
        service.host_service = true;
        QVERIFY(decide({{set("host:11434")}}, service).allowed);
        QCOMPARE(decide({{set("host:11434")}}, service).rule, std::string("host:11434"));
        QVERIFY(decide({{set("host:11434")}}, service).raw);
        for (const char* rules : {"host:11435", "0.0.0.0/0:11434", "0.0.0.0/0:*", "*", "hosts:11434"})
            QVERIFY2(!decide({{set(rules)}}, service).allowed, rules);
        QCOMPARE(decide({{set("host:11434", "host:11434")}}, service).reason, std::string("denied by rule"));
        QVERIFY(!decide({{set("host:11434"), set("*")}}, service).allowed);
        QVERIFY(!decide({{set("host:11434")}}, to("127.0.0.1", 11434)).allowed);
    }

    void every_set_must_allow() {
        const auto one = set("*.example.net:* github.com"),
                   narrow = set("a.example.net github.com:22", "", "", ".belljar/policy.toml");
        const EgressPolicy both{{one, narrow}};
        QVERIFY(decide(both, to("a.example.net", 443)).allowed);
        QCOMPARE(decide(both, to("a.example.net", 443)).rule, std::string("*.example.net:*"));
        QCOMPARE(decide(both, to("b.example.net", 443)).reason,
                 std::string("no rule of .belljar/policy.toml allows it"));
        QCOMPARE(decide(both, to("a.example.net", 22)).reason,
                 std::string("the rules of .belljar/policy.toml allow other ports of it"));
        QVERIFY(!decide(both, to("github.com", 443)).allowed && !decide(both, to("github.com", 22)).allowed);
        QVERIFY(!decide({{set(""), set("*")}}, to("github.com", 443)).allowed);
        QVERIFY(!decide({{set("*"), set("")}}, to("github.com", 443)).allowed);
        QVERIFY(!decide({{set("github.com"), set("*", "github.com")}}, to("github.com", 443)).allowed);
    }

    void the_check_of_the_first_bytes_is_waived_only_where_every_set_waives_it() {
        const auto raw = set("a.example:443/raw"), checked = set("a.example");
        QVERIFY(decide({{raw}}, to("a.example", 443)).raw);
        QVERIFY(!decide({{checked}}, to("a.example", 443)).raw);
        QVERIFY(!decide({{raw, checked}}, to("a.example", 443)).raw &&
                !decide({{checked, raw}}, to("a.example", 443)).raw);
        QVERIFY(decide({{set("192.0.2.1")}}, to("192.0.2.1", 443)).raw); // no name to check
    }

    void a_name_is_looked_up_when_some_port_of_it_could_be_allowed_data() {
        QTest::addColumn<QByteArray>("allow");
        QTest::addColumn<QByteArray>("deny");
        QTest::addColumn<QByteArray>("second"); // a further set's allow; "-": none
        QTest::addColumn<QByteArray>("rule");   // empty: not answered
        const auto row = [](const char* title, const char* allow, const char* deny, const char* second,
                            const char* rule) {
            QTest::newRow(title) << QByteArray(allow) << QByteArray(deny) << QByteArray(second) << QByteArray(rule);
        };
        row("the web", "a.example", "", "-", "a.example");
        row("ssh only", "a.example:22", "", "-", "a.example:22");
        row("another name", "b.example", "", "-", "");
        row("only addresses", "0.0.0.0/0:*", "", "-", "");
        row("only the host's services", "host:443", "", "-", "");
        row("denied", "a.example", "a.example", "-", "");
        row("denied where it is allowed", "a.example:22", "a.example:22", "-", "");
        row("denied on one port of two", "a.example", "a.example:443", "-", "a.example");
        row("denied on both ports", "a.example", "a.example:443 a.example:80", "-", "");
        row("denied on some of all ports", "a.example:*", "a.example:443 a.example:80 a.example:1", "-", "a.example:*");
        row("both sets have a port in common", "a.example:*", "", "a.example:22", "a.example:*");
        row("both sets have any", "a.example:*", "a.example:443 a.example:80", "*.example:* a.example:*",
            "a.example:*");
        row("no port in common", "a.example:22", "", "a.example", "");
        row("the other set knows it not", "a.example", "", "b.example", "");
    }
    void a_name_is_looked_up_when_some_port_of_it_could_be_allowed() {
        QFETCH(QByteArray, allow);
        QFETCH(QByteArray, deny);
        QFETCH(QByteArray, second);
        QFETCH(QByteArray, rule);
        EgressPolicy policy{{set(allow, deny)}};
        second.replace("*.example:* ", "");
        if (second != "-") policy.sets.push_back(set(second));
        const Verdict verdict = decide_name(policy, "a.example");
        QCOMPARE(verdict.allowed, !rule.isEmpty());
        if (verdict.allowed) QCOMPARE(QByteArray::fromStdString(verdict.rule), rule);
        QVERIFY(!verdict.reason.empty());
    }

    void resolved_addresses_are_judged_data() {
        QTest::addColumn<QByteArray>("reason"); // empty: a public address, used
        const auto row = [](const char* ip, const char* reason) { QTest::newRow(ip) << QByteArray(reason); };
        row("8.8.8.8", "");
        row("192.0.2.1", "");
        row("2001:db8::1", "");
        row("127.0.0.1", "127.0.0.1 is a loopback address");
        row("::1", "::1 is a loopback address");
        row("::ffff:127.0.0.1", "127.0.0.1 is a loopback address");
        row("10.1.2.3", "10.1.2.3 is a private address");
        row("100.64.0.1", "100.64.0.1 is a carrier-grade NAT address");
        row("169.254.169.254", "169.254.169.254 is a metadata address");
        row("64:ff9b::10.0.0.1", "64:ff9b::a00:1 is a private address (wrapped by NAT64)");
        row("2002:7f00:1::", "2002:7f00:1:: is a loopback address (wrapped by 6to4)");
        row("198.18.0.9", "198.18.0.9 is a stand-in address");
        row("0.0.0.0", "0.0.0.0 is the unspecified address");
        row("224.0.0.1", "224.0.0.1 is a multicast address");
        row("8.8.4.4", "8.8.4.4 is an address of this host");
    }
    void resolved_addresses_are_judged() {
        QFETCH(QByteArray, reason);
        const IpAddress ip = *IpAddress::parse(QTest::currentDataTag());
        const std::vector<IpAddress> own{*IpAddress::parse("8.8.4.4")};
        const Verdict verdict = decide_resolved({{set("a.example")}}, "a.example", ip, own);
        QCOMPARE(verdict.allowed, reason.isEmpty());
        if (!reason.isEmpty())
            QCOMPARE(QByteArray::fromStdString(verdict.reason), reason + ": `private` does not list the name");
        QVERIFY(decide_resolved({{set("a.example", "", "a.example")}}, "a.example", ip, own).allowed);
        QVERIFY(decide_resolved({{set("a.example", "", "*.example.net")}}, "b.example.net", ip, own).allowed);
        QCOMPARE(decide_resolved({{set("a.example", "", "b.example")}}, "a.example", ip, own).allowed,
                 reason.isEmpty());
        // every set must list it
        QCOMPARE(decide_resolved({{set("a.example", "", "a.example"), set("a.example")}}, "a.example", ip, own).allowed,
                 reason.isEmpty());
    }

    void private_may_list_networks() {
        const EgressPolicy policy{{set("a.example", "", "10.1.0.0/16")}};
        QVERIFY(decide_resolved(policy, "a.example", *IpAddress::parse("10.1.2.3"), kNoOwn).allowed);
        QVERIFY(!decide_resolved(policy, "a.example", *IpAddress::parse("10.2.2.3"), kNoOwn).allowed);
        QVERIFY(!decide_resolved(policy, "a.example", *IpAddress::parse("64:ff9b::10.1.2.3"), kNoOwn).allowed);
        QVERIFY(decide({{set("0.0.0.0/0", "", "10.1.0.0/16")}}, to("10.1.2.3", 443)).allowed);
    }

    void a_denied_network_is_denied_to_names_as_well() {
        const EgressPolicy policy{{set("a.example", "192.0.2.0/24 198.51.100.0/24:22")}};
        QCOMPARE(decide_resolved(policy, "a.example", *IpAddress::parse("192.0.2.1"), kNoOwn).rule,
                 std::string("192.0.2.0/24"));
        QVERIFY(!decide_resolved(policy, "a.example", *IpAddress::parse("::ffff:192.0.2.1"), kNoOwn).allowed);
        QVERIFY(decide_resolved(policy, "a.example", *IpAddress::parse("198.51.100.1"), kNoOwn).allowed);
    }

    void an_address_named_by_the_program_is_judged_with_the_hosts_own_known() {
        const IpAddress lan = *IpAddress::parse("192.168.1.5");
        QVERIFY(decide_resolved({{set("192.168.1.0/24:22")}}, "", lan, kNoOwn).allowed);
        QVERIFY(!decide_resolved({{set("192.168.1.0/24:22")}}, "", lan, {lan}).allowed);
        QVERIFY(decide_resolved({{set("192.168.1.5:22")}}, "", lan, {lan}).allowed);
        QVERIFY(!decide_resolved({{set("0.0.0.0/0:22")}}, "", lan, kNoOwn).allowed);
    }
};

QTEST_GUILESS_MAIN(TestDecision)
#include "test_decision.moc"
