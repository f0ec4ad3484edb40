#include "helper/supervisor/dns_replies.h"

#include "dns_bytes.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::test;

class TestDnsReplies : public QObject {
    Q_OBJECT

    static Judge make(std::vector<std::string> allow) {
        SessionSpec spec;
        spec.egress = {EgressRules{"test", "deny", std::move(allow), {"denied.example.net"}, {}}};
        return std::move(Judge::make(spec).value());
    }
    static std::pair<Bytes, DnsOutcome> ask(Judge& judge, std::string_view name, unsigned type = 1) {
        DnsOutcome outcome = answer_dns(judge, span_of(dns_query(name, type)));
        Bytes bytes;
        if (outcome.answer) bytes.assign(reinterpret_cast<const char*>(outcome.answer->data()), outcome.answer->size());
        return {bytes, std::move(outcome)};
    }

private slots:
    void answers_an_allowed_name_with_its_stand_in() {
        Judge judge = make({"example.net"});
        const auto [answer, outcome] = ask(judge, "EXAMPLE.net");
        QCOMPARE(dns_rcode(answer), 0);
        QCOMPARE(answer.substr(answer.size() - 4), Bytes("\xC6\x12\x00\x02", 4));
        QCOMPARE(answer.substr(answer.size() - 10, 4), number(kStandInTtl, 4));
        QCOMPARE(*judge.name_of(*IpAddress::parse("198.18.0.2")), std::string("example.net"));
        QCOMPARE(outcome.asked->name, std::string("example.net"));
        QVERIFY(outcome.asked->verdict.allowed);
        QCOMPARE(outcome.asked->verdict.rule, std::string("example.net"));
        QCOMPARE(ask(judge, "example.net").first.substr(answer.size() - 4), answer.substr(answer.size() - 4));
    }

    void has_no_data_of_other_types_and_spends_no_stand_in_on_them() {
        Judge judge = make({"example.net"});
        for (const unsigned type : {2u, 5u, 15u, 16u, 28u, 33u, 64u, 65u, 255u}) {
            const auto [answer, outcome] = ask(judge, "example.net", type);
            QCOMPARE(dns_rcode(answer), 0);
            QCOMPARE(dns_answers(answer), 0);
            QCOMPARE(answer.substr(answer.size() - 4), number(kNegativeTtl, 4)); // the SOA's minimum
            QVERIFY(outcome.asked->verdict.allowed);
        }
        QVERIFY(!judge.name_of(*IpAddress::parse("198.18.0.2")));
    }

    void does_not_know_a_denied_name_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"evil.test", "denied.example.net", "a.example.net", "notexample.net",
                                 "example.net.evil.test", "net", "com"})
            QTest::newRow(name) << name;
    }
    void does_not_know_a_denied_name() {
        QFETCH(QString, name);
        Judge judge = make({"example.net"});
        for (const unsigned type : {1u, 28u, 65u}) {
            const auto [answer, outcome] = ask(judge, name.toStdString(), type);
            QCOMPARE(dns_rcode(answer), 3);
            QVERIFY(!outcome.asked->verdict.allowed);
            QCOMPARE(QString::fromStdString(outcome.asked->name), name);
        }
    }

    void denies_what_is_no_host_name_and_shows_it_escaped() {
        Judge judge = make({"example.net"});
        Bytes message = dns_query("example.net");
        message[12 + 8] = '.'; // "example" + 3 + "net" becomes a label with a dot in it
        message[12] = 11;
        const DnsOutcome outcome = answer_dns(judge, span_of(message));
        QVERIFY(outcome.answer.has_value());
        QCOMPARE(outcome.asked->name, std::string("example\\046net"));
        QVERIFY(!outcome.asked->verdict.allowed);
    }

    void answers_localhost_without_a_word_in_the_record() {
        Judge judge = make({});
        for (const char* name : {"localhost", "LOCALHOST", "app.localhost"}) {
            const auto [four, outcome] = ask(judge, name);
            QCOMPARE(four.substr(four.size() - 4), Bytes("\x7F\0\0\x01", 4));
            QVERIFY(!outcome.asked);
            const Bytes six = ask(judge, name, 28).first;
            QCOMPARE(six.substr(six.size() - 16), Bytes(15, '\0') + '\x01');
        }
        QCOMPARE(dns_answers(ask(judge, "localhost", 65).first), 0);
        QCOMPARE(dns_rcode(ask(judge, "notlocalhost").first), 3);
    }

    void names_stand_ins_and_loopback_backwards() {
        Judge judge = make({"example.net"});
        QCOMPARE(dns_rcode(ask(judge, "2.0.18.198.in-addr.arpa", 12).first), 3);
        ask(judge, "example.net");
        const Bytes answer = ask(judge, "2.0.18.198.in-addr.arpa", 12).first;
        QCOMPARE(answer.substr(answer.size() - 13), Bytes("\7example\3net\0", 13));
        const Bytes own = ask(judge, "1.0.0.127.in-addr.arpa", 12).first;
        QCOMPARE(own.substr(own.size() - 11), Bytes("\11localhost\0", 11));
        QCOMPARE(dns_rcode(ask(judge, "8.8.8.8.in-addr.arpa", 12).first), 3);
    }

    void fails_when_no_stand_in_is_left() {
        Judge judge = make({"*.example.net"});
        for (int i = 0; judge.stand_in(std::to_string(i) + ".example.net"); ++i) {
        }
        const auto [answer, outcome] = ask(judge, "one-more.example.net");
        QCOMPARE(dns_rcode(answer), 2);
        QVERIFY(!outcome.asked->verdict.allowed);
        QCOMPARE(dns_rcode(ask(judge, "7.example.net").first), 0);
    }

    void notes_what_is_malformed() {
        Judge judge = make({});
        const DnsOutcome outcome = answer_dns(judge, span_of("garbage"));
        QVERIFY(!outcome.answer);
        QVERIFY(!outcome.asked->verdict.allowed);
    }
};

QTEST_GUILESS_MAIN(TestDnsReplies)
#include "test_dns_replies.moc"
