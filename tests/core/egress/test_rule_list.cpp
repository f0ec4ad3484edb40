// The index of a list of rules finds what a walk along the list would find, in its order, and quickly.
#include "core/egress/rule_list.h"

#include <QElapsedTimer>
#include <QtTest>

using namespace belljar;

namespace {

std::vector<HostPattern> patterns(std::initializer_list<const char*> texts) {
    std::vector<HostPattern> out;
    for (const char* text : texts)
        out.push_back(*HostPattern::parse(text, true));
    return out;
}

const std::vector<HostPattern> kMixed =
    patterns({"a.example", "*.example.net", "*.a.example.net:22", "a.example:8080", "*.net.test", "10.0.0.0/8:5432", "10.1.0.0/16", "10.1.2.3",
              "0.0.0.0/0:1", "[2001:db8::]/32", "[2001:db8::7]:22", "[::]/0:9", "host:11434", "*", "b.a.example.net", "a.example:*", "host:1",
              "172.16.0.0/12", "192.0.2.128/25", "[2001:db8:8000::]/33"});

template <class Matches>
RuleList::Hits walk(const RuleList& list, Matches matches) {
    RuleList::Hits hits;
    for (const HostPattern& rule : list)
        if (matches(rule)) hits.push_back(&rule);
    return hits;
}

} // namespace

class TestRuleList : public QObject {
    Q_OBJECT

private slots:
    void every_rule_that_matches_is_found_and_no_other() {
        RuleList grown;
        for (const HostPattern& pattern : kMixed)
            grown.push_back(pattern);
        for (const RuleList& list : {RuleList(kMixed), grown}) {
            for (const char* name : {"a.example", "example", "b.a.example", "example.net", "x.example.net", "a.example.net", "b.a.example.net",
                                     "c.b.a.example.net", ".example.net", "notexample.net", "net.test", "x.net.test", "", ".", "x..example.net"})
                QVERIFY2(list.holding_name(name) == walk(list, [&](const HostPattern& rule) { return rule.matches_name(name); }), name);
            for (const char* text : {"10.1.2.3", "10.1.2.4", "10.2.0.0", "11.0.0.0", "172.31.255.255", "172.32.0.0", "192.0.2.127", "192.0.2.128",
                                     "0.0.0.0", "255.255.255.255", "2001:db8::7", "2001:db8:8000::1", "2001:db9::", "::", "::ffff:10.1.2.3"}) {
                const IpAddress ip = *IpAddress::parse(text);
                QVERIFY2(list.holding_address(ip) == walk(list, [&](const HostPattern& rule) { return rule.matches_address(ip); }), text);
            }
            QCOMPARE(list.host_services().size(), std::size_t{2});
        }
    }
    void an_empty_list_holds_nothing() {
        const RuleList none;
        QVERIFY(none.holding_name("a.example").empty() && none.holding_address(*IpAddress::parse("192.0.2.1")).empty());
        QVERIFY(none.host_services().empty() && none.size() == 0);
    }
    void a_copy_stands_on_its_own() {
        auto first = std::make_unique<RuleList>(kMixed);
        const RuleList copy = *first;
        first.reset();
        QCOMPARE(copy.holding_name("a.example").front()->text, std::string("a.example"));
    }
    void a_hundred_thousand_names_are_no_slower_than_a_few() {
        std::vector<HostPattern> many;
        for (int i = 0; i < 100'000; ++i)
            many.push_back(*HostPattern::parse("host-" + std::to_string(i) + ".some-company.example"));
        const RuleList list(std::move(many));
        QElapsedTimer timer;
        timer.start();
        std::size_t found = 0;
        for (int i = 0; i < 10'000; ++i)
            found += list.holding_name("host-" + std::to_string(i * 20) + ".some-company.example").size();
        QCOMPARE(found, std::size_t{5'000});
        QVERIFY2(timer.elapsed() < 1'000, qPrintable(QString::number(timer.elapsed()))); // a walk takes seconds
    }
};
QTEST_GUILESS_MAIN(TestRuleList)
#include "test_rule_list.moc"
