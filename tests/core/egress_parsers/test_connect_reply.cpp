// A proxy's answer to CONNECT: its head, and not a byte more.
#include "core/egress/connect_reply.h"

#include <QtTest>

using namespace belljar;

class TestConnectReply : public QObject {
    Q_OBJECT

    static ConnectReplyState read(std::string_view text, ConnectReply& reply) {
        return read_connect_reply(std::as_bytes(std::span(text.data(), text.size())), reply);
    }

private slots:
    void the_head_ends_before_what_the_other_side_sends() {
        ConnectReply reply;
        const std::string head = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n";
        QCOMPARE(read(head + "SSH-2.0-", reply), ConnectReplyState::Complete);
        QCOMPARE(reply.length, head.size());
        QVERIFY(reply.established());
    }
    void an_incomplete_head_waits_for_more_whatever_it_was_cut_at() {
        const std::string head = "HTTP/1.0 407 Proxy Authentication Required\r\nA: b\r\n\r\n";
        ConnectReply reply;
        for (std::size_t size = 0; size < head.size(); ++size)
            QCOMPARE(read(head.substr(0, size), reply), ConnectReplyState::More);
        QCOMPARE(read(head, reply), ConnectReplyState::Complete);
        QCOMPARE(reply.status, 407u);
        QCOMPARE(reply.reason, std::string("Proxy Authentication Required"));
        QVERIFY(!reply.established());
    }
    void an_interim_answer_is_passed_over() {
        ConnectReply reply;
        const std::string both = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
        QCOMPARE(read(both.substr(0, 25), reply), ConnectReplyState::More);
        QCOMPARE(read(both, reply), ConnectReplyState::Complete);
        QCOMPARE(reply.status, 200u);
        QCOMPARE(reply.length, both.size());
    }
    void what_is_not_HTTP_is_refused_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
                                 "HTTP/1.1 999 OK\r\n\r\n", "HTTP/1.x 200 OK\r\n\r\n", "\r\n\r\n", "x"})
            QTest::newRow(text) << QByteArray(text);
        QTest::newRow("a head without an end") << QByteArray("HTTP/1.1 200 OK\r\n") + QByteArray(20000, 'a');
    }
    void what_is_not_HTTP_is_refused() {
        QFETCH(QByteArray, text);
        ConnectReply reply;
        QCOMPARE(read(text.toStdString(), reply), ConnectReplyState::Refused);
    }
};

QTEST_GUILESS_MAIN(TestConnectReply)
#include "test_connect_reply.moc"
