#include "core/egress/dns_message.h"

#include "hello_bytes.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::test;
using dns::Rcode;

namespace {

Bytes wire_name(std::string_view dotted) {
    Bytes out;
    while (!dotted.empty()) {
        const auto label = dotted.substr(0, dotted.find('.'));
        out += vec(Bytes(label), 1);
        dotted.remove_prefix(std::min(dotted.size(), label.size() + 1));
    }
    return out + Bytes(1, '\0');
}
Bytes header(unsigned flags, unsigned questions, unsigned answers = 0, unsigned authorities = 0,
             unsigned additional = 0) {
    return number(0xBEEF, 2) + number(flags, 2) + number(questions, 2) + number(answers, 2) + number(authorities, 2) +
           number(additional, 2);
}
Bytes question(const Bytes& name, unsigned type = 1, unsigned klass = 1) {
    return name + number(type, 2) + number(klass, 2);
}
Bytes opt(unsigned version = 0, const Bytes& options = {}) {
    return Bytes(1, '\0') + number(41, 2) + number(4096, 2) + number(version << 16, 4) + vec(options, 2);
}
Bytes query(std::string_view name, unsigned type = 1) {
    return header(0x0100, 1) + question(wire_name(name), type);
}
Bytes text(const dns::Message& message) {
    return {reinterpret_cast<const char*>(message.data()), message.size()};
}
unsigned rcode(const Bytes& message) {
    return static_cast<unsigned char>(message.at(3)) & 0xF;
}

} // namespace

class TestDnsMessage : public QObject {
    Q_OBJECT

private slots:
    void reads_a_question() {
        const auto parsed = dns::parse_query(span_of(query("Example.NET", 28)));
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->id, std::uint16_t(0xBEEF));
        QCOMPARE(parsed->name, std::string("Example.NET"));
        QCOMPARE(parsed->type, std::uint16_t(28));
        QVERIFY(parsed->recursion_desired && !parsed->edns);
    }

    void refuses_every_truncation() {
        const Bytes whole = header(0x0100, 1, 0, 0, 1) + question(wire_name("example.net")) + opt(0, "abcdefgh");
        QVERIFY(dns::parse_query(span_of(whole)).has_value());
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const auto parsed = dns::parse_query(span_of(whole.substr(0, length)));
            QVERIFY(!parsed.has_value());
            QCOMPARE(parsed.error().answer.has_value(), length >= 12);
            if (parsed.error().answer) QCOMPARE(rcode(text(*parsed.error().answer)), 1u);
        }
    }

    void escapes_what_is_no_host_name_so_that_no_rule_matches_it() {
        const auto parsed = dns::parse_query(
            span_of(header(0, 1) + question(vec(Bytes("a.b\0", 4), 1) + vec("c\xFF", 1) + Bytes(1, '\0'))));
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->name, std::string("a\\046b\\000.c\\255"));
    }

    void answers_the_root() {
        const auto parsed = dns::parse_query(span_of(header(0, 1) + question(Bytes(1, '\0'), 2)));
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->name, std::string());
    }

    void refuses_with_the_right_code_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const Bytes& bytes, int code) {
            QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())) << code;
        };
        const Bytes asked = question(wire_name("example.net"));
        row("two questions", header(0, 2) + asked + asked, 1);
        row("no question", header(0, 0), 1);
        row("an answer in a query", header(0, 1, 1) + asked, 1);
        row("an authority in a query", header(0, 1, 0, 1) + asked, 1);
        row("more additional records than anybody needs", header(0, 1, 0, 0, 65535) + asked, 1);
        row("bytes after the end", query("example.net") + "x", 1);
        row("a compressed question", header(0, 1) + question(Bytes("\xC0\x0C", 2)), 1);
        row("a pointer to itself", header(0, 1) + question(vec("a", 1) + Bytes("\xC0\x0C", 2)), 1);
        row("a label of 64", header(0, 1) + question(vec(Bytes(64, 'a'), 1) + Bytes(1, '\0')), 1);
        row("a name of 256",
            header(0, 1) + question(vec(Bytes(63, 'a'), 1) + vec(Bytes(63, 'a'), 1) + vec(Bytes(63, 'a'), 1) +
                                    vec(Bytes(62, 'a'), 1) + Bytes(1, '\0')),
            1);
        row("two OPT records", header(0, 1, 0, 0, 2) + asked + opt() + opt(), 1);
        row("an OPT record with an owner", header(0, 1, 0, 0, 1) + asked + wire_name("a") + opt().substr(1), 1);
        row("a status query", header(0x1000, 1) + asked, 4);
        row("an update", header(0x2800, 1) + asked, 4);
        row("class CHAOS", header(0, 1) + question(wire_name("version.bind"), 16, 3), 5);
    }
    void refuses_with_the_right_code() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, code);
        const auto parsed = dns::parse_query(span_of(bytes.toStdString()));
        QVERIFY(!parsed.has_value());
        QVERIFY(parsed.error().answer.has_value());
        const Bytes answer = text(*parsed.error().answer);
        QCOMPARE(answer.substr(0, 2), bytes.toStdString().substr(0, 2));
        QVERIFY(static_cast<unsigned char>(answer[2]) & 0x80);
        QCOMPARE(static_cast<int>(rcode(answer)), code);
    }

    void accepts_the_longest_name() {
        const Bytes name = vec(Bytes(63, 'a'), 1) + vec(Bytes(63, 'a'), 1) + vec(Bytes(63, 'a'), 1) +
                           vec(Bytes(61, 'a'), 1) + Bytes(1, '\0');
        QVERIFY(dns::parse_query(span_of(header(0, 1) + question(name))).has_value());
    }

    void never_answers_a_response() {
        const auto parsed = dns::parse_query(span_of(header(0x8100, 1) + question(wire_name("example.net"))));
        QVERIFY(!parsed.has_value() && !parsed.error().answer);
    }

    void tolerates_edns_and_other_additional_records() {
        const Bytes tsig = wire_name("key") + number(250, 2) + number(255, 2) + number(0, 4) + vec("mac", 2);
        const auto parsed = dns::parse_query(
            span_of(header(0, 1, 0, 0, 2) + question(wire_name("example.net")) + opt(0, "cookie") + tsig));
        QVERIFY(parsed.has_value() && parsed->edns);
        const Bytes answer = text(dns::answer_nothing(*parsed, Rcode::NxDomain, 5));
        QCOMPARE(answer.substr(answer.size() - 11),
                 Bytes(1, '\0') + number(41, 2) + number(1232, 2) + number(0, 4) + number(0, 2));
    }

    void answers_another_edns_version_with_badvers() {
        const auto parsed =
            dns::parse_query(span_of(header(0, 1, 0, 0, 1) + question(wire_name("example.net")) + opt(1)));
        QVERIFY(!parsed.has_value());
        const Bytes answer = text(*parsed.error().answer);
        QCOMPARE(rcode(answer), 0u);
        QCOMPARE(answer.at(answer.size() - 6), '\x01'); // the upper bits of 16
    }

    void answers_an_address_and_echoes_mixed_case() {
        const Bytes asked = query("eXaMple.NeT");
        const auto parsed = dns::parse_query(span_of(asked));
        const Bytes answer = text(dns::answer_address(*parsed, IpAddress::v4(0xC6120002), 60));
        QCOMPARE(answer, number(0xBEEF, 2) + number(0x8180, 2) + number(1, 2) + number(1, 2) + number(0, 2) +
                             number(0, 2) + asked.substr(12) + number(0xC00C, 2) + number(1, 2) + number(1, 2) +
                             number(60, 4) + vec(Bytes("\xC6\x12\x00\x02", 4), 2));
    }

    void answers_an_ipv6_address_and_a_name() {
        const auto six = dns::parse_query(span_of(query("localhost", 28)));
        const Bytes address = text(dns::answer_address(*six, *IpAddress::parse("::1"), 60));
        QCOMPARE(address.substr(address.size() - 18), vec(Bytes(15, '\0') + '\x01', 2));
        const auto pointer = dns::parse_query(span_of(query("2.0.18.198.in-addr.arpa", 12)));
        const Bytes name = text(dns::answer_pointer(*pointer, "example.net", 60));
        QCOMPARE(name.substr(name.size() - 15), vec(wire_name("example.net"), 2));
    }

    void bounds_negative_caching_by_a_soa() {
        const auto parsed = dns::parse_query(span_of(query("example.net", 28)));
        for (const Rcode code : {Rcode::NoError, Rcode::NxDomain}) {
            const Bytes answer = text(dns::answer_nothing(*parsed, code, 5));
            QCOMPARE(rcode(answer), static_cast<unsigned>(code));
            QCOMPARE(answer.substr(6, 4), number(0, 2) + number(1, 2));
            QCOMPARE(answer.substr(answer.size() - 4), number(5, 4));
        }
        QCOMPARE(text(dns::answer_nothing(*parsed, Rcode::ServFail, 5)).substr(8, 2), number(0, 2));
    }

    void reads_pointer_names_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("address");
        QTest::newRow("IPv4") << "2.0.18.198.in-addr.arpa"
                              << "198.18.0.2";
        QTest::newRow("upper case") << "2.0.18.198.IN-ADDR.ARPA"
                                    << "198.18.0.2";
        QTest::newRow("IPv6") << "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.B.D.0.1.0.0.2.ip6.arpa"
                              << "2001:db8::1";
        for (const char* odd : {"18.198.in-addr.arpa", "1.2.0.18.198.in-addr.arpa", "256.0.18.198.in-addr.arpa",
                                "02.0.18.198.in-addr.arpa", "x.0.18.198.in-addr.arpa", "-2.0.18.198.in-addr.arpa",
                                "in-addr.arpa", ".in-addr.arpa", "1.ip6.arpa", "example.net"})
            QTest::newRow(odd) << odd << "";
    }
    void reads_pointer_names() {
        QFETCH(QString, name);
        QFETCH(QString, address);
        const auto ip = dns::address_of_pointer(name.toStdString());
        QCOMPARE(ip ? QString::fromStdString(ip->text()) : QString(""), address);
    }

    void names_types() {
        QCOMPARE(dns::type_text(65), std::string("HTTPS"));
        QCOMPARE(dns::type_text(65280), std::string("TYPE65280"));
    }
};

QTEST_GUILESS_MAIN(TestDnsMessage)
#include "test_dns_message.moc"
