#include "core/egress/client_hello.h"

#include "hello_bytes.h"

#include <QtTest>

using namespace belljar;
using namespace belljar::test;
using State = ClientHelloReader::State;

class TestClientHello : public QObject {
    Q_OBJECT

    static ClientHelloReader read(const Bytes& bytes) {
        ClientHelloReader reader;
        reader.feed(span_of(bytes));
        return reader;
    }
    static std::string name_of(const Bytes& bytes) {
        const auto reader = read(bytes);
        return reader.state() == State::Complete ? reader.hello().server_name.value_or("(none)")
                                                 : "(" + reader.reason() + ")";
    }

private slots:
    void finds_the_server_name_among_grease() {
        QCOMPARE(name_of(client_hello("example.net")), std::string("example.net"));
    }

    void waits_at_every_truncation_and_never_guesses() {
        const Bytes whole = client_hello("example.net");
        for (std::size_t length = 0; length < whole.size(); ++length) {
            ClientHelloReader reader;
            QCOMPARE(reader.feed(span_of(whole.substr(0, length))), State::More);
        }
    }

    void reads_the_same_from_any_two_segments() {
        const Bytes whole = client_hello("example.net");
        for (std::size_t cut = 1; cut < whole.size(); ++cut) {
            ClientHelloReader reader;
            reader.feed(span_of(whole.substr(0, cut)));
            QCOMPARE(reader.feed(span_of(whole.substr(cut))), State::Complete);
            QCOMPARE(*reader.hello().server_name, std::string("example.net"));
        }
    }

    void reads_the_same_over_any_two_records() {
        const Bytes message = handshake(hello_body(server_name("example.net")));
        for (std::size_t cut = 1; cut < message.size(); ++cut)
            QCOMPARE(name_of(record(message.substr(0, cut)) + record(message.substr(cut))), std::string("example.net"));
    }

    void reads_one_byte_per_record_and_segment() {
        ClientHelloReader reader;
        for (const char byte : handshake(hello_body(server_name("example.net"))))
            for (const char each : record(Bytes(1, byte)))
                reader.feed(span_of(std::string_view(&each, 1)));
        QCOMPARE(reader.state(), State::Complete);
        QCOMPARE(*reader.hello().server_name, std::string("example.net"));
    }

    void ignores_what_follows_in_later_records() {
        QCOMPARE(name_of(client_hello("example.net") + record("early data", 23)), std::string("example.net"));
    }

    void says_when_there_is_no_name() {
        QCOMPARE(name_of(record(handshake(hello_body(grease(1))))), std::string("(none)"));
        Bytes without = hello_body({});
        without.resize(without.size() - 2); // not even an empty block of extensions
        QCOMPARE(name_of(record(handshake(without))), std::string("(none)"));
    }

    void says_when_the_hello_is_an_outer_one() {
        const auto reader = read(record(handshake(hello_body(server_name("public.example") + extension(0xFE0D, "x")))));
        QCOMPARE(reader.state(), State::Complete);
        QVERIFY(reader.hello().encrypted);
        QVERIFY(!read(client_hello("example.net")).hello().encrypted);
    }

    void keeps_the_name_as_it_was_sent() {
        QCOMPARE(name_of(client_hello("EXAMPLE.net.")), std::string("EXAMPLE.net."));
        const Bytes odd("example.net\0.evil.test", 22);
        QCOMPARE(name_of(client_hello(odd)), odd);
    }

    void refuses_what_two_parsers_could_read_differently_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const Bytes& bytes, const char* reason) {
            QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())) << QString(reason);
        };
        const Bytes good = hello_body(server_name("example.net"));
        row("HTTP", "GET / HTTP/1.1\r\n", "not TLS");
        row("SSH", "SSH-2.0-OpenSSH_9.2\r\n", "not TLS");
        row("an SSLv2 hello", Bytes("\x80\x2E\x01\x03\x01", 5), "not TLS");
        row("another major version", Bytes("\x16\x02\x00", 3), "not TLS");
        row("an alert first", record("\x01\x00", 21), "not TLS");
        row("a ServerHello", record(handshake(good, 2)), "TLS, but no ClientHello");
        row("an empty record", record({}), "a TLS record of an impossible length");
        row("a record over 2^14", Bytes("\x16\x03\x01\x40\x01", 5), "a TLS record of an impossible length");
        row("a hello over 64 KiB", record(number(1, 1) + number(0x10000, 3)), "a ClientHello of more than 64 KiB");
        row("the largest length", record(number(1, 1) + number(0xFFFFFF, 3)), "a ClientHello of more than 64 KiB");
        row("a second message in the record", record(handshake(good) + handshake(good)),
            "a ClientHello with something after it in its record");
        row("a byte more in the record", record(handshake(good) + "x"),
            "a ClientHello with something after it in its record");
        row("another record in between", record(handshake(good).substr(0, 50)) + record("x", 23),
            "a ClientHello with another record in its middle");
        row("two names in the list",
            record(handshake(
                hello_body(extension(0, vec(number(0, 1) + vec("a.test", 2) + number(0, 1) + vec("b.test", 2), 2))))),
            "a ClientHello with several server names");
        row("two lists", record(handshake(hello_body(server_name("a.test") + server_name("b.test")))),
            "a ClientHello with several server names");
        row("an empty name", record(handshake(hello_body(server_name({})))), "a malformed server name");
        row("an empty list", record(handshake(hello_body(extension(0, vec({}, 2))))), "a malformed server name");
        row("an empty extension", record(handshake(hello_body(extension(0, {})))), "a malformed server name");
        row("another kind of name",
            record(handshake(hello_body(extension(0, vec(number(1, 1) + vec("a.test", 2), 2))))),
            "a malformed server name");
        row("a name longer than its list",
            record(handshake(hello_body(extension(0, vec(number(0, 1) + number(99, 2) + "a.test", 2))))),
            "a malformed server name");
        row("a list shorter than its extension",
            record(handshake(hello_body(extension(0, vec(number(0, 1) + vec("a.test", 2), 2) + "x")))),
            "a malformed server name");
        row("an extension longer than the block", record(handshake(hello_body(number(0, 2) + number(99, 2)))),
            "a malformed ClientHello");
        row("half an extension", record(handshake(hello_body("x"))), "a malformed ClientHello");
        row("bytes after the extensions", record(handshake(good + "x")), "a malformed ClientHello");
        row("a session id past the end", record(handshake(number(0x0303, 2) + Bytes(32, 'r') + number(200, 1))),
            "a malformed ClientHello");
        row("an empty hello", record(handshake({})), "a malformed ClientHello");
    }
    void refuses_what_two_parsers_could_read_differently() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        const auto reader = read(bytes.toStdString());
        QCOMPARE(reader.state(), State::Refused);
        QCOMPARE(QString::fromStdString(reader.reason()), reason);
    }

    void refuses_every_length_that_lies() {
        const Bytes whole = client_hello("example.net");
        for (std::size_t at = 3; at < whole.size(); ++at)
            for (const int change : {-1, 1}) {
                Bytes bent = whole;
                bent[at] = static_cast<char>(bent[at] + change);
                const auto reader = read(bent); // whatever comes of it: never another name of the same list
                if (reader.state() == State::Complete && reader.hello().server_name)
                    QVERIFY(reader.hello().server_name->size() == 11);
            }
    }

    void stays_refused() {
        auto reader = read("GET /");
        QCOMPARE(reader.feed(span_of(client_hello("example.net"))), State::Refused);
    }

    void accepts_a_hello_as_large_as_allowed() {
        const Bytes body = hello_body(server_name("example.net") + extension(21, Bytes(60000, '\0')));
        const Bytes message = handshake(body);
        Bytes records;
        for (std::size_t at = 0; at < message.size(); at += 16384)
            records += record(message.substr(at, 16384));
        QCOMPARE(name_of(records), std::string("example.net"));
    }
};

QTEST_GUILESS_MAIN(TestClientHello)
#include "test_client_hello.moc"
