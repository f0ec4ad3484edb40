#include "core/varlink/client.h"
#include "core/varlink/service.h"
#include "socket_server.h"

#include <QtTest>
#include <poll.h>

using namespace belljar;
using namespace belljar::varlink;

namespace {

constexpr const char* kInterface = R"(interface org.example.test
method Echo(text: string) -> (text: string)
method Count(to: int) -> (number: int)
method Later() -> (answer: int)
method Release() -> ()
method Unwritten() -> ()
method Twice() -> (answer: int)
error Odd (reason: string)
method Fail() -> ()
)";

// A service whose `Later` answers only when `Release` is called.
class TestService {
public:
    TestService() : service({"Example", "Test", "1", "https://example.org"}) {
        service.add_interface(kInterface);
        service.on("org.example.test.Echo", [this](const json& parameters, const Responder& responder) {
            ++echoes;
            responder.reply(parameters);
        });
        service.on("org.example.test.Count", [](const json& parameters, const Responder& responder) {
            const auto to = parameters.at("to").get<std::int64_t>();
            for (std::int64_t i = 1; i < to; ++i)
                responder.reply_continues({{"number", i}});
            responder.reply({{"number", to}});
        });
        service.on("org.example.test.Later",
                   [this](const json&, const Responder& responder) { waiting.push_back(responder); });
        service.on("org.example.test.Release", [this](const json&, const Responder& responder) {
            for (const Responder& late : std::exchange(waiting, {}))
                late.reply({{"answer", 42}});
            responder.reply(json::object());
        });
        service.on("org.example.test.Twice", [](const json&, const Responder& responder) {
            responder.reply({{"answer", 1}});
            responder.reply({{"answer", 2}});
            responder.error("org.example.test.Odd");
        });
        service.on("org.example.test.Fail", [](const json&, const Responder& responder) {
            responder.error("org.example.test.Odd", {{"reason", "because"}});
        });
    }
    Service service;
    std::vector<Responder> waiting;
    std::atomic<int> echoes = 0;
};

// One connection without a socket: what was answered, in order.
struct Wire {
    explicit Wire(const Service& service)
        : connection(service.connect([this](std::string bytes) { QVERIFY(frames.feed(bytes).has_value()); })) {}
    Status call(const std::string& method, json parameters = json::object(), bool more = false, bool oneway = false) {
        std::string message = encode(Call{method, std::move(parameters), oneway, more, false});
        message.pop_back();
        return connection->handle(message);
    }
    std::optional<Reply> answer() {
        const auto frame = frames.next();
        return frame ? std::optional(parse_reply(*frame).value()) : std::nullopt;
    }
    FrameSplitter frames;
    std::unique_ptr<Service::Connection> connection;
};

UniqueFd raw_connection(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? std::move(socket)
                                                                                                     : UniqueFd();
}

// Everything until the other side closes; nothing when it does not within 10 s.
std::optional<std::string> read_until_closed(int fd) {
    std::string all;
    for (;;) {
        pollfd poll_fd{fd, POLLIN, 0};
        if (::poll(&poll_fd, 1, 10000) != 1) return std::nullopt;
        char buffer[4096];
        const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
        if (n <= 0) return all;
        all.append(buffer, static_cast<std::size_t>(n));
    }
}

} // namespace

class ServiceTest : public QObject {
    Q_OBJECT
private slots:
    void it_says_what_it_is() {
        TestService test;
        Wire wire(test.service);
        QVERIFY(wire.call("org.varlink.service.GetInfo").has_value());
        QVERIFY(wire.answer()->parameters == json({{"vendor", "Example"},
                                                   {"product", "Test"},
                                                   {"version", "1"},
                                                   {"url", "https://example.org"},
                                                   {"interfaces", {"org.example.test", "org.varlink.service"}}}));
        QVERIFY(
            wire.call("org.varlink.service.GetInterfaceDescription", {{"interface", "org.example.test"}}).has_value());
        QCOMPARE(wire.answer()->parameters.at("description").get<std::string>(), std::string(kInterface));
    }

    void a_call_that_cannot_be_served_gets_the_standard_error_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<QString>("error");
        QTest::addColumn<QString>("answer");
        const auto row = [](const char* name, const char* method, const char* parameters, const char* error,
                            const char* answer) {
            QTest::newRow(name) << QString(method) << QString(parameters) << QString("org.varlink.service.") + error
                                << QString(answer);
        };
        row("no dot", "Echo", "{}", "InvalidParameter", R"({"parameter":"method"})");
        row("unknown interface", "org.example.other.Echo", "{}", "InterfaceNotFound",
            R"({"interface":"org.example.other"})");
        row("unknown method", "org.example.test.Nope", "{}", "MethodNotFound", R"({"method":"org.example.test.Nope"})");
        row("an error's name", "org.example.test.Odd", "{}", "MethodNotFound", R"({"method":"org.example.test.Odd"})");
        row("no handler", "org.example.test.Unwritten", "{}", "MethodNotImplemented",
            R"({"method":"org.example.test.Unwritten"})");
        row("missing parameter", "org.example.test.Echo", "{}", "InvalidParameter", R"({"parameter":"text"})");
        row("wrong type", "org.example.test.Echo", R"({"text":1})", "InvalidParameter", R"({"parameter":"text"})");
        row("extra parameter", "org.example.test.Echo", R"({"text":"","x":1})", "InvalidParameter",
            R"({"parameter":"x"})");
        row("several answers without more", "org.example.test.Count", R"({"to":3})", "ExpectedMore", "{}");
        row("description of an unknown interface", "org.varlink.service.GetInterfaceDescription",
            R"({"interface":"a.b"})", "InterfaceNotFound", R"({"interface":"a.b"})");
    }
    void a_call_that_cannot_be_served_gets_the_standard_error() {
        QFETCH(QString, method);
        QFETCH(QString, parameters);
        QFETCH(QString, error);
        QFETCH(QString, answer);
        TestService test;
        Wire wire(test.service);
        QVERIFY(wire.call(method.toStdString(), json::parse(parameters.toStdString())).has_value());
        const auto reply = wire.answer();
        QVERIFY(reply.has_value());
        QCOMPARE(QString::fromStdString(reply->error), error);
        QCOMPARE(QString::fromStdString(reply->parameters.dump()), answer);
        QVERIFY(!wire.answer());
        QCOMPARE(test.echoes.load(), 0);
    }

    void a_method_with_more_answers_more_than_once() {
        TestService test;
        Wire wire(test.service);
        QVERIFY(wire.call("org.example.test.Count", {{"to", 3}}, true).has_value());
        for (int i = 1; i <= 3; ++i) {
            const auto reply = wire.answer();
            QCOMPARE(reply->parameters.at("number").get<int>(), i);
            QCOMPARE(reply->continues, i < 3);
        }
        QVERIFY(!wire.answer());
    }

    void a_oneway_call_is_carried_out_and_never_answered() {
        TestService test;
        Wire wire(test.service);
        QVERIFY(wire.call("org.example.test.Echo", {{"text", "x"}}, false, true).has_value());
        QVERIFY(wire.call("org.example.test.Echo", {{"text", 1}}, false, true).has_value());
        QVERIFY(wire.call("org.example.test.Nope", json::object(), false, true).has_value());
        QCOMPARE(test.echoes.load(), 1);
        QVERIFY(!wire.answer());
    }

    void only_the_first_final_answer_counts() {
        TestService test;
        Wire wire(test.service);
        QVERIFY(wire.call("org.example.test.Twice").has_value());
        QCOMPARE(wire.answer()->parameters.at("answer").get<int>(), 1);
        QVERIFY(!wire.answer());
    }

    void answers_keep_the_order_of_the_calls() {
        TestService test;
        Wire wire(test.service);
        QVERIFY(wire.call("org.example.test.Later").has_value());
        QVERIFY(wire.call("org.example.test.Echo", {{"text", "second"}}).has_value());
        QVERIFY(wire.call("org.example.test.Count", {{"to", 2}}, true).has_value());
        QCOMPARE(test.echoes.load(), 1); // carried out at once
        QVERIFY(!wire.answer());
        test.waiting.at(0).reply({{"answer", 42}});
        QCOMPARE(wire.answer()->parameters.at("answer").get<int>(), 42);
        QCOMPARE(wire.answer()->parameters.at("text").get<std::string>(), std::string("second"));
        QCOMPARE(wire.answer()->parameters.at("number").get<int>(), 1);
        QCOMPARE(wire.answer()->parameters.at("number").get<int>(), 2);
        QVERIFY(!wire.answer());
    }

    void too_many_unanswered_calls_end_the_connection() {
        TestService test;
        Wire wire(test.service);
        for (std::size_t i = 0; i < Service::kMaxUnanswered; ++i)
            QVERIFY(wire.call("org.example.test.Later").has_value());
        QVERIFY(!wire.call("org.example.test.Later").has_value());
    }

    void too_many_bytes_behind_an_unanswered_call_end_the_connection() {
        TestService test;
        Wire wire(test.service);
        QVERIFY(wire.call("org.example.test.Later").has_value());
        const std::string text(3 << 20, 'x');
        for (int i = 0; i < 3; ++i)
            QVERIFY(wire.call("org.example.test.Echo", {{"text", text}}).has_value());
        QVERIFY(!wire.call("org.example.test.Echo", {{"text", ""}}).has_value());
        QVERIFY(!test.waiting.at(0).connected());
    }

    void a_late_answer_to_a_connection_that_is_gone_is_dropped() {
        TestService test;
        {
            Wire wire(test.service);
            QVERIFY(wire.call("org.example.test.Later").has_value());
            QVERIFY(test.waiting.at(0).connected());
        }
        QVERIFY(!test.waiting.at(0).connected());
        test.waiting.at(0).reply({{"answer", 1}});
    }

    void a_mistake_of_our_own_is_thrown() {
        Service service({});
        QVERIFY_EXCEPTION_THROWN(service.add_interface("interface x"), std::logic_error);
        QVERIFY_EXCEPTION_THROWN(service.add_interface("interface org.varlink.service"), std::logic_error);
        QVERIFY_EXCEPTION_THROWN(service.on("org.varlink.service.Nope", {}), std::logic_error);
        QVERIFY_EXCEPTION_THROWN(service.on("Nope", {}), std::logic_error);
    }

    void a_peer_that_breaks_the_protocol_is_cut_off_and_others_go_on_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("not JSON") << QByteArray("hello\0", 6);
        QTest::newRow("an empty frame") << QByteArray("\0", 1);
        QTest::newRow("more than is taken without a NUL") << QByteArray(static_cast<int>(kMaxMessageBytes) + 1, ' ');
        QTest::newRow("a depth bomb") << QByteArray(1 << 20, '[') + '\0';
        QTest::newRow("invalid UTF-8") << QByteArray("{\"method\":\"\xff\"}\0", 15);
        QTest::newRow("an unknown member") << QByteArray(R"({"method":"a.B","x":1})") + '\0';
    }
    void a_peer_that_breaks_the_protocol_is_cut_off_and_others_go_on() {
        QFETCH(QByteArray, bytes);
        TestService test;
        const SocketServer server(test.service);
        auto other = Client::connect(server.path());
        QVERIFY(other.has_value());
        const UniqueFd hostile = raw_connection(server.path());
        QVERIFY(bool(hostile));
        write_to(hostile.get(), bytes.toStdString());
        QCOMPARE(read_until_closed(hostile.get()), std::optional<std::string>(""));
        const auto echo = other->call("org.example.test.Echo", {{"text", "still here"}});
        QVERIFY(echo.has_value());
        QCOMPARE(echo->at("text").get<std::string>(), std::string("still here"));
    }

    void calls_in_one_write_and_byte_by_byte_are_all_answered() {
        TestService test;
        const SocketServer server(test.service);
        std::string calls;
        for (int i = 0; i < 50; ++i)
            calls += encode(Call{"org.example.test.Echo", {{"text", std::to_string(i)}}});
        for (const std::size_t step : {calls.size(), std::size_t{1}}) {
            const UniqueFd socket = raw_connection(server.path());
            for (std::size_t at = 0; at < calls.size(); at += step)
                write_to(socket.get(), std::string_view(calls).substr(at, step));
            ::shutdown(socket.get(), SHUT_WR);
            const auto answers = read_until_closed(socket.get());
            QVERIFY(answers.has_value());
            FrameSplitter frames;
            QVERIFY(frames.feed(*answers).has_value());
            for (int i = 0; i < 50; ++i)
                QCOMPARE(parse_reply(*frames.next())->parameters.at("text").get<std::string>(), std::to_string(i));
            QVERIFY(!frames.next());
        }
    }
};

QTEST_GUILESS_MAIN(ServiceTest)
#include "service_test.moc"
