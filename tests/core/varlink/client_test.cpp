#include "core/system/descriptor_passing.h"
#include "core/varlink/client.h"
#include "core/varlink/service.h"
#include "socket_server.h"

#include <QtTest>
#include <poll.h>
#include <sys/stat.h>

using namespace belljar;
using namespace belljar::varlink;
using namespace std::chrono_literals;

namespace {

void add_methods(Service& service) {
    service.add_interface(R"(interface org.example.test
method Echo(text: string) -> (text: string)
method Count(to: int) -> (number: int)
method Fail(reason: ?string, next: ?string) -> ()
error Odd (reason: ?string, next: ?string)
)");
    service.on("org.example.test.Echo",
               [](const json& parameters, const Responder& responder) { responder.reply(parameters); });
    service.on("org.example.test.Count", [](const json& parameters, const Responder& responder) {
        const int to = parameters.at("to").get<int>();
        for (int i = 1; i <= to; ++i)
            i < to ? responder.reply_continues({{"number", i}}) : responder.reply({{"number", i}});
    });
    service.on("org.example.test.Fail", [](const json& parameters, const Responder& responder) {
        responder.error("org.example.test.Odd", parameters);
    });
}

// The client against a peer that says exactly `answer`, then closes.
Result<json> call_answered_by(std::string answer) {
    auto pair = make_socketpair(SOCK_STREAM);
    std::thread peer([end = std::move(pair->second), bytes = std::move(answer)] {
        char buffer[4096];
        if (::recv(end.get(), buffer, sizeof buffer, 0) > 0) write_to(end.get(), bytes);
    });
    auto result =
        Client(std::move(pair->first)).call("a.b.C"); // the client is gone before a peer that still writes is awaited
    peer.join();
    return result;
}

} // namespace

class ClientTest : public QObject {
    Q_OBJECT
private slots:
    void a_call_is_answered_at_a_short_and_at_a_very_long_path() {
        Service service({});
        add_methods(service);
        for (const std::string& name : {std::string("s"), std::string(80, 'l')}) {
            const SocketServer server(service, name);
            auto client = Client::connect(server.path());
            QVERIFY2(client.has_value(), client ? "" : client.error().message().c_str());
            const auto reply = client->call("org.example.test.Echo", {{"text", "hello"}});
            QVERIFY(reply.has_value());
            QVERIFY(*reply == json({{"text", "hello"}}));
        }
    }

    void a_path_of_many_folders_is_reached() {
        Service service({});
        add_methods(service);
        const SocketServer server(service);
        QTemporaryDir folder;
        std::string deep = folder.path().toStdString();
        while (deep.size() < 300)
            deep += "/a-folder-with-a-long-name";
        QVERIFY(QDir().mkpath(QString::fromStdString(deep)));
        QVERIFY(QFile::rename(QString::fromStdString(server.path()), QString::fromStdString(deep + "/session.sock")));
        auto client = Client::connect(deep + "/session.sock");
        QVERIFY2(client.has_value(), client ? "" : client.error().message().c_str());
        QVERIFY(client->call("org.varlink.service.GetInfo").has_value());
    }

    void a_missing_socket_is_an_error_with_its_errno() {
        const auto client = Client::connect("/nonexistent/socket");
        QVERIFY(!client.has_value());
        QCOMPARE(client.error().errno_value, ENOENT);
        QVERIFY(client.error().what.find("/nonexistent/socket") != std::string::npos);
        QCOMPARE(Client::connect("/tmp/" + std::string(300, 'x')).error().errno_value, ENAMETOOLONG);
        QCOMPARE(Client::connect("").error().errno_value, ENAMETOOLONG);
    }

    void a_call_beyond_the_limit_is_not_sent_and_a_large_one_arrives() {
        Service service({});
        add_methods(service);
        const SocketServer server(service);
        auto client = Client::connect(server.path());
        QVERIFY(!client->call("org.example.test.Echo", {{"text", std::string(kMaxMessageBytes, 'x')}}).has_value());
        const auto reply = client->call("org.example.test.Echo", {{"text", std::string(6 << 20, 'x')}});
        QVERIFY(reply.has_value());
        QCOMPARE(reply->at("text").get_ref<const std::string&>().size(), std::size_t{6 << 20});
    }

    void a_stream_is_read_until_its_last_reply() {
        Service service({});
        add_methods(service);
        const SocketServer server(service);
        auto client = Client::connect(server.path());
        std::vector<int> numbers;
        const Status done = client->stream("org.example.test.Count", {{"to", 500}}, [&](const json& reply) {
            numbers.push_back(reply.at("number").get<int>());
            return true;
        });
        QVERIFY(done.has_value());
        QCOMPARE(numbers.size(), 500u);
        QCOMPARE(numbers.back(), 500);
        QVERIFY(client->call("org.example.test.Echo", {{"text", "after"}}).has_value());
    }

    void a_Varlink_error_carries_name_reason_and_what_next() {
        Service service({});
        add_methods(service);
        const SocketServer server(service);
        auto client = Client::connect(server.path());
        const auto full = client->call("org.example.test.Fail", {{"reason", "no luck"}, {"next", "try again"}});
        QVERIFY(!full.has_value());
        QCOMPARE(full.error().what, std::string("org.example.test.Odd"));
        QCOMPARE(full.error().why, std::string("no luck"));
        QCOMPARE(full.error().next, std::string("try again"));
        const auto bare = client->call("org.example.test.Nope");
        QCOMPARE(bare.error().what, std::string("org.varlink.service.MethodNotFound"));
        QCOMPARE(bare.error().why, std::string(R"({"method":"org.example.test.Nope"})"));
    }

    void replies_come_one_by_one_to_an_event_loop_and_it_never_blocks() {
        Service service({});
        add_methods(service);
        const SocketServer server(service);
        auto client = Client::connect(server.path());
        QVERIFY(client->receive_some().value() == std::nullopt);
        QVERIFY(client->send("org.example.test.Count", {{"to", 3}}, {}, true).has_value());
        QVERIFY(client->send_oneway("org.example.test.Echo", {{"text", "unanswered"}}).has_value());
        QVERIFY(client->send("org.example.test.Echo", {{"text", "x"}}).has_value());
        int replies = 0;
        while (replies < 4) {
            pollfd poll_fd{client->fd(), POLLIN, 0};
            QCOMPARE(::poll(&poll_fd, 1, 5000), 1);
            for (auto reply = client->receive_some(); reply.value(); reply = client->receive_some())
                ++replies;
        }
        QVERIFY(client->receive_some().value() == std::nullopt);
    }

    void descriptors_ride_on_the_call() {
        auto pair = make_socketpair(SOCK_STREAM);
        auto pipe = make_pipe();
        Client client(std::move(pair->first));
        const int fds[] = {pipe->second.get()};
        QVERIFY(client.send("a.b.C", json::object(), fds).has_value());
        char bytes[4096];
        const auto received = receive_with_fds(pair->second.get(), std::as_writable_bytes(std::span(bytes)));
        QVERIFY(received.has_value());
        QCOMPARE(received->fds.size(), 1u);
        QCOMPARE(::write(received->fds[0].get(), "x", 1), ssize_t{1});
        QCOMPARE(::read(pipe->first.get(), bytes, 1), ssize_t{1});
    }

    void a_hostile_reply_is_an_error_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("closed") << QByteArray("");
        QTest::newRow("cut short") << QByteArray("{\"parameters\":{}}");
        QTest::newRow("not JSON") << QByteArray("x\0", 2);
        QTest::newRow("a depth bomb") << QByteArray(100000, '[') + '\0';
        QTest::newRow("no end") << QByteArray(static_cast<int>(kMaxMessageBytes) + 1, ' ');
        QTest::newRow("more than was asked for") << QByteArray(R"({"continues":true})") + '\0';
        QTest::newRow("an error") << QByteArray(R"({"error":"a.b.Bad"})") + '\0';
    }
    void a_hostile_reply_is_an_error() {
        QFETCH(QByteArray, answer);
        QVERIFY(!call_answered_by(answer.toStdString()).has_value());
    }

    void a_silent_peer_ends_in_a_timeout() {
        auto pair = make_socketpair(SOCK_STREAM);
        Client client(std::move(pair->first));
        QVERIFY(client.set_timeout(50ms).has_value());
        QElapsedTimer clock;
        clock.start();
        const auto reply = client.call("a.b.C");
        QVERIFY(!reply.has_value());
        QCOMPARE(reply.error().errno_value, ETIMEDOUT);
        QVERIFY(clock.elapsed() >= 50 && clock.elapsed() < 5000);
    }

    void descriptors_in_a_reply_are_not_kept() {
        auto pair = make_socketpair(SOCK_STREAM);
        auto pipe = make_pipe();
        Client client(std::move(pair->first));
        QVERIFY(client.send("a.b.C").has_value());
        const std::string reply = encode(Reply{});
        const int fds[] = {pipe->second.get()};
        QVERIFY(send_with_fds(pair->second.get(), std::as_bytes(std::span(reply)), fds).has_value());
        pipe->second.reset();
        QVERIFY(client.receive_some().value().has_value());
        char byte = 0;
        QCOMPARE(::read(pipe->first.get(), &byte, 1), ssize_t{0}); // end of file: no writer is left
    }
};

QTEST_GUILESS_MAIN(ClientTest)
#include "client_test.moc"
