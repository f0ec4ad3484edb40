// Host patterns and the normalisation before them: what is odd is an error, what is not cannot be passed by another
// spelling.
#include "core/egress/host_pattern.h"
#include "core/egress/unicode_label.h"

#include <QtTest>

using namespace belljar;

namespace {

std::string_view view(const QByteArray& bytes) {
    return {bytes.data(), static_cast<std::size_t>(bytes.size())};
}
std::string repeat(const char* text, int times) {
    return QByteArray(text).repeated(times).toStdString();
}

} // namespace

class TestHostPattern : public QObject {
    Q_OBJECT

private slots:
    void names_are_normalised_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("normalised");
        const auto row = [](const char* title, const QByteArray& name, const QByteArray& normalised) {
            QTest::newRow(title) << name << normalised;
        };
        row("plain", "example.net", "example.net");
        row("mixed case", "GitHub.COM", "github.com");
        row("a trailing dot", "example.net.", "example.net");
        row("one label", "intranet", "intranet");
        row("an underscore", "_dmarc.example.net", "_dmarc.example.net");
        row("three hyphens", "r3---sn-x.example.net", "r3---sn-x.example.net");
        row("a digit first", "3com.example", "3com.example");
        row("numbers in front", "1.0.0.127.in-addr.arpa", "1.0.0.127.in-addr.arpa");
        row("63 bytes in a label", QByteArray(63, 'a') + ".example", QByteArray(63, 'a') + ".example");
        row("an A-label", "XN--Bcher-KVA.example", "xn--bcher-kva.example");
        row("German", "b\u00fccher.example", "xn--bcher-kva.example");
        row("German capitals", "B\u00dcCHER.example", "xn--bcher-kva.example");
        row("sharp s", "fa\u00df.example", "xn--fa-hia.example");
        row("Polish capitals", "\u0141\u00d3D\u0179.example", "xn--d-uga0v4h.example");
        row("Vietnamese", "vi\u1ec7t.example", "xn--vit-5kz.example");
        row("Russian", "\u043f\u0440\u0438\u043c\u0435\u0440.example", "xn--e1afmkfd.example");
        row("Russian capitals", "\u041f\u0420\u0418\u041c\u0415\u0420.example", "xn--e1afmkfd.example");
        row("Greek", "\u03c0\u03b1\u03c1\u03ac\u03b4\u03b5\u03b9\u03b3\u03bc\u03b1.example",
            "xn--hxajbheg2az3al.example");
        row("Chinese", "\u4f8b\u5b50.example", "xn--fsqu00a.example");
        row("Japanese with ASCII", "\u4f8b\u3048abc.example", "xn--abc-763b408n.example");
        row("Korean", "\uc2e4\ub840.example", "xn--9n2bp8q.example");
        row("Hebrew", "\u05d3\u05d5\u05d2\u05de\u05d4.example", "xn--6dbbec0c.example");
    }
    void names_are_normalised() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, normalised);
        const auto result = normalise_host_name(view(name));
        QVERIFY2(result, result ? "" : result.error().message().c_str());
        QCOMPARE(QByteArray::fromStdString(*result), normalised);
        QCOMPARE(*normalise_host_name(*result), *result); // once more changes nothing
    }

    void odd_names_are_refused_data() {
        QTest::addColumn<QByteArray>("name");
        const auto row = [](const char* title, const QByteArray& name) { QTest::newRow(title) << name; };
        row("nothing", "");
        row("a dot", ".");
        row("two trailing dots", "example.net..");
        row("a leading dot", ".example.net");
        row("an empty label", "example..net");
        row("a NUL", QByteArray("github.com\0.evil.test", 21));
        row("a NUL at the end", QByteArray("github.com\0", 11));
        row("a carriage return", "github.com\r");
        row("a line feed", "github.com\nHost: evil.test");
        row("a tab", "github\t.com");
        row("a space", "github.com ");
        row("a percent sign", "github%2ecom");
        row("a zone", "fe80::1%eth0");
        row("a slash", "github.com/evil");
        row("a backslash", "github.com\\evil");
        row("an at sign", "github.com@evil.test");
        row("a colon", "github.com:443");
        row("a star", "*.github.com");
        row("a delete character", "github\x7f.com");
        row("64 bytes in a label", QByteArray(64, 'a') + ".example");
        row("254 bytes", QByteArray("a.").repeated(126) + "bc");
        row("megabytes", QByteArray(5'000'000, 'a'));
        row("a leading hyphen", "-example.net");
        row("a trailing hyphen", "example-.net");
        row("an A-label of nothing", "xn--.example");
        row("an A-label of plain ASCII", "xn--abc-.example");
        row("an IPv4 address", "127.0.0.1");
        row("a short address", "127.1");
        row("a decimal address", "2130706433");
        row("an octal address", "0177.0.0.1");
        row("a hexadecimal address", "0x7f.0x1");
        row("a hexadecimal prefix alone", "a.0x");
        row("not UTF-8", "caf\xe9.example");
        row("overlong UTF-8", "a\xc0\xae"
                              "b.example");
        row("a surrogate", "a\xed\xa0\x80.example");
        row("cut UTF-8", "example.b\xc3");
        row("beyond Unicode", "a\xf4\x90\x80\x80.example");
        row("Cyrillic a in a Latin name", "\u0430pple.example");
        row("Greek o in a Latin name", "g\u03bfogle.example");
        row("Cyrillic and Greek", "\u0430\u03b1.example");
        row("Latin with umlaut and Cyrillic", "\u00fc\u0430.example");
        row("kana and Hangul", "\u3048\uc2e4.example");
        row("Hangul and kana behind Han", "\u4f8b\uc2e4\u3048.example");
        row("an ideographic full stop", "github\u3002com");
        row("a full-width letter", "\uff47ithub.com");
        row("a zero-width joiner", "git\u200dhub.com");
        row("a zero-width space", "git\u200bhub.com");
        row("a soft hyphen", "git\u00adhub.com");
        row("right to left override", "git\u202ehub.com");
        row("a combining accent", "bu\u0308cher.example");
        row("a division slash", "github.com\u2215evil.test");
        row("a one dot leader", "github\u2024com");
        row("a dotted capital I", "\u0130stanbul.example");
        row("a long s", "te\u017ft.example");
        row("a ligature", "\u0133.example");
        row("a times sign", "\u00d7.example");
        row("a percent sign beside an umlaut", "b\u00fc%cher.example");
        row("an underscore beside an umlaut", "b\u00fc_cher.example");
        row("an emoji", "\U0001f600.example");
        row("a label too long once encoded", QByteArray("\u00fc").repeated(62) + ".example");
    }
    void odd_names_are_refused() {
        QFETCH(QByteArray, name);
        const auto result = normalise_host_name(view(name));
        QVERIFY2(!result, result ? result->c_str() : "");
        QVERIFY(!result.error().why.empty());
        QVERIFY(!HostPattern::parse(view(name)) || name.contains(':') || name.contains('*'));
    }

    void punycode_encodes_the_samples_of_rfc_3492_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("encoded");
        QTest::newRow("(A) Arabic") << QStringLiteral("\u0644\u064A\u0647\u0645\u0627\u0628\u062A\u0643\u0644\u0645"
                                                      "\u0648\u0634\u0639\u0631\u0628\u064A\u061F")
                                    << QByteArray("egbpdaj6bu4bxfgehfvwxn");
        QTest::newRow("(B) Chinese") << QStringLiteral("\u4ED6\u4EEC\u4E3A\u4EC0\u4E48\u4E0D\u8BF4\u4E2D\u6587")
                                     << QByteArray("ihqwcrb4cv8a8dqg056pqjye");
        QTest::newRow("(D) Czech") << QStringLiteral("Pro\u010Dprost\u011Bnemluv\u00ED\u010Desky")
                                   << QByteArray("Proprostnemluvesky-uyb24dma41a");
        QTest::newRow("(L) Japanese") << QStringLiteral("3\u5E74B\u7D44\u91D1\u516B\u5148\u751F")
                                      << QByteArray("3B-ww4c5e180e575a65lsy2b");
        QTest::newRow("(R) Japanese") << QStringLiteral("\u305D\u306E\u30B9\u30D4\u30FC\u30C9\u3067")
                                      << QByteArray("d9juau41awczczp");
        QTest::newRow("(S) ASCII") << QStringLiteral("-> $1.00 <-") << QByteArray("-> $1.00 <--");
    }
    void punycode_encodes_the_samples_of_rfc_3492() {
        QFETCH(QString, text);
        QFETCH(QByteArray, encoded);
        QCOMPARE(QByteArray::fromStdString(*punycode_encode(text.toStdU32String())), encoded);
    }

    void patterns_are_read_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<int>("port"); // -1: web, 0: any
        QTest::addColumn<bool>("raw");
        using Kind = HostPattern::Kind;
        const auto row = [](const char* text, Kind kind, const char* host, int port, bool raw = false) {
            QTest::newRow(text) << static_cast<int>(kind) << QByteArray(host) << port << raw;
        };
        row("github.com", Kind::Name, "github.com", -1);
        row("GitHub.com.", Kind::Name, "github.com", -1);
        row("*.Example.net", Kind::Subdomains, "example.net", -1);
        row("git.example.org:22", Kind::Name, "git.example.org", 22);
        row("example.net:*", Kind::Name, "example.net", 0);
        row("*.example.net:65535", Kind::Subdomains, "example.net", 65535);
        row("example.net:443/raw", Kind::Name, "example.net", 443, true);
        row("*.example.net:80/raw", Kind::Subdomains, "example.net", 80, true);
        row("intranet", Kind::Name, "intranet", -1);
        row("b\u00fccher.example:22", Kind::Name, "xn--bcher-kva.example", 22);
        row("10.1.2.0/24:5432", Kind::Network, "10.1.2.0/24", 5432);
        row("192.0.2.7", Kind::Network, "192.0.2.7/32", -1);
        row("192.0.2.7:*", Kind::Network, "192.0.2.7/32", 0);
        row("192.0.2.7:443/raw", Kind::Network, "192.0.2.7/32", 443, true);
        row("0.0.0.0/0", Kind::Network, "0.0.0.0/0", -1);
        row("[2001:db8::]/32:22", Kind::Network, "2001:db8::/32", 22);
        row("[2001:db8::1]:8080", Kind::Network, "2001:db8::1/128", 8080);
        row("[2001:db8::1]", Kind::Network, "2001:db8::1/128", -1);
        row("[::ffff:192.0.2.7]", Kind::Network, "192.0.2.7/32", -1);
        row("[::ffff:10.0.0.0]/104", Kind::Network, "10.0.0.0/8", -1);
        row("host:11434", Kind::HostService, "", 11434);
        row("HOST:1", Kind::HostService, "", 1);
        row("host.example.net", Kind::Name, "host.example.net", -1);
    }
    void patterns_are_read() {
        QFETCH(int, kind);
        QFETCH(QByteArray, host);
        QFETCH(int, port);
        QFETCH(bool, raw);
        const std::string text = QTest::currentDataTag();
        const auto pattern = HostPattern::parse(text);
        QVERIFY2(pattern, pattern ? "" : pattern.error().message().c_str());
        QCOMPARE(static_cast<int>(pattern->kind), kind);
        const bool network = pattern->kind == HostPattern::Kind::Network;
        QCOMPARE(QByteArray::fromStdString(
                     network ? pattern->network.text() + "/" + std::to_string(pattern->prefix_length) : pattern->name),
                 host);
        QCOMPARE(pattern->ports == HostPattern::Ports::Web   ? -1
                 : pattern->ports == HostPattern::Ports::Any ? 0
                                                             : int(pattern->port),
                 port);
        QCOMPARE(pattern->raw, raw);
        QCOMPARE(pattern->text, text);
    }

    void odd_patterns_are_refused_data() {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const QByteArray& text) {
            QTest::newRow(text.isEmpty() ? "nothing" : text.toPercentEncoding().left(60).data()) << text;
        };
        for (const char* text : {"",
                                 "*",
                                 "*.com",
                                 "*.",
                                 "*.*",
                                 "*:443",
                                 "a.*.example",
                                 "*a.example.net",
                                 "example.*",
                                 "**.example.net",
                                 "*.com.",
                                 "*.localhost",
                                 "localhost",
                                 "LOCALHOST:8080",
                                 "app.localhost",
                                 "localhost.",
                                 "host",
                                 "host:*",
                                 "host:443/raw",
                                 "host:0",
                                 "*.host:22",
                                 "example.net:",
                                 "example.net:0",
                                 "example.net:65536",
                                 "example.net:+22",
                                 "example.net:-1",
                                 "example.net:022",
                                 "example.net: 22",
                                 "example.net:22x",
                                 "example.net:99999999999999999999",
                                 "example.net:22/raw",
                                 "example.net:/raw",
                                 "example.net:*/raw",
                                 "example.net/raw",
                                 "example.net/24",
                                 "example.net:443/RAW",
                                 "example.net:443/raw/raw",
                                 "example.net:22:23",
                                 "https://example.net",
                                 "example.net/path",
                                 "user@example.net",
                                 "example.net,example.org",
                                 "10.1.2.3/24",
                                 "10.0.0.0/33",
                                 "10.0.0.0/",
                                 "10.0.0.0/08",
                                 "10.0.0.0/-1",
                                 "10.0.0.0/8/9",
                                 "10.0.0/8",
                                 "127.1",
                                 "0x7f000001",
                                 "2130706433",
                                 "*.0.0.1",
                                 "2001:db8::1",
                                 "2001:db8::1:443",
                                 "::1",
                                 "[2001:db8::1",
                                 "[]",
                                 "[]:443",
                                 "[10.0.0.1]",
                                 "[example.net]:443",
                                 "[2001:db8::1]443",
                                 "[2001:db8::]/129",
                                 "[2001:db8::1]/32",
                                 "[::ffff:10.0.0.0]/8",
                                 "[fe80::1%eth0]",
                                 "example.net\n",
                                 "example.net\r\n",
                                 "exam ple.net",
                                 "\texample.net",
                                 "example.net\x7f",
                                 "ex%61mple.net",
                                 "example..net",
                                 "-x.example"})
            row(text);
        row(QByteArray("github.com\0.evil.test", 21));
        row(QByteArray("\0", 1));
        row(QByteArray(64, 'a') + ".example");
        row(QByteArray(100'000, 'a'));
        row("\u0430pple.example");
    }
    void odd_patterns_are_refused() {
        QFETCH(QByteArray, text);
        const auto pattern = HostPattern::parse(view(text));
        QVERIFY(!pattern);
        const std::string message = pattern.error().message();
        QVERIFY2(message.find("host pattern") != std::string::npos && message.size() < 400, message.c_str());
        QVERIFY(message.find('\n') == std::string::npos && message.find('\0') == std::string::npos);
    }

    void a_bare_star_needs_leave() {
        const auto everything = HostPattern::parse("*", true);
        QVERIFY(everything && everything->kind == HostPattern::Kind::Everything &&
                everything->matches_name("example.net") && everything->matches_address(IpAddress::v4(1)) &&
                everything->matches_port(22));
        QVERIFY(!HostPattern::parse("*:443", true));
        QVERIFY(!HostPattern::parse("*.com", true));
    }

    void names_match_whole_labels_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("matches");
        const auto row = [](const char* pattern, const char* name, bool matches) {
            QTest::addRow("%s %s", pattern, name) << QByteArray(pattern) << QByteArray(name) << matches;
        };
        row("github.com", "github.com", true);
        row("github.com", "notgithub.com", false);
        row("github.com", "api.github.com", false);
        row("github.com", "github.com.evil.test", false);
        row("apache.org", "apache.org.evil.test", false);
        row("*.apache.org", "apache.org.evil.test", false);
        row("*.github.com", "github.com", false);
        row("*.github.com", ".github.com", false);
        row("*.github.com", "notgithub.com", false);
        row("*.github.com", "api.github.com", true);
        row("*.github.com", "a.b.github.com", true);
        row("*.github.com", "github.com.evil.test", false);
        row("github.com", "", false);
        row("*.github.com", "", false);
        row("192.0.2.7", "192.0.2.7", false);
        row("host:80", "host", false);
    }
    void names_match_whole_labels() {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, name);
        QFETCH(bool, matches);
        QCOMPARE(HostPattern::parse(view(pattern))->matches_name(view(name)), matches);
    }

    void a_pattern_without_a_port_means_443_and_80() {
        const auto web = HostPattern::parse("example.net"), one = HostPattern::parse("example.net:22"),
                   any = HostPattern::parse("example.net:*");
        for (const int port : {1, 22, 80, 443, 8080, 65535}) {
            const auto number = static_cast<std::uint16_t>(port);
            QCOMPARE(web->matches_port(number), port == 443 || port == 80);
            QCOMPARE(one->matches_port(number), port == 22);
            QVERIFY(any->matches_port(number));
        }
    }

    void the_longest_name_passes_and_one_byte_more_does_not() {
        const std::string name = repeat("a.", 126) + "b";
        QCOMPARE(name.size(), std::size_t(253));
        QVERIFY(normalise_host_name(name) && normalise_host_name(name + ".") && HostPattern::parse(name + ":22"));
        QVERIFY(!normalise_host_name("a" + name));
    }
};

QTEST_GUILESS_MAIN(TestHostPattern)
#include "test_host_pattern.moc"
