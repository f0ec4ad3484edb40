// Through the host's proxy: what it is asked, what of its answer counts, and which destinations go there.
#include "helper/supervisor/outside.h"
#include "helper/supervisor/proxy_dial.h"

#include "fakes.h"

#include <QtTest>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

using namespace belljar;
using namespace belljar::test;

class TestProxyDial : public QObject {
    Q_OBJECT

    // A proxy of one connection: keeps what it is asked, answers what it is told, byte by byte where wanted.
    struct Proxy {
        boost::asio::io_context loop;
        UniqueFd listener, connection;
        ProxySpec spec{.host = "127.0.0.1", .port = 0, .authorization = {}, .direct = {}};
        std::string asked;
        Proxy() : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            socklen_t length = sizeof address;
            if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener.get(), 8) != 0)
                return;
            ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length);
            spec.port = ntohs(address.sin_port);
        }
        void serve() {
            if (!connection) {
                const int on = 1; // or single bytes wait for each other
                connection.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
                ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            }
            char bytes[4096];
            const ssize_t got = connection ? ::recv(connection.get(), bytes, sizeof bytes, MSG_DONTWAIT) : 0;
            if (got > 0) asked.append(bytes, static_cast<std::size_t>(got));
        }
        bool was_asked() {
            return run_until(loop, [&] {
                serve();
                return asked.ends_with("\r\n\r\n");
            });
        }
        void answer(std::string_view text) const { (void)::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL); }
        std::optional<Reached> dial(std::string_view reply, bool bytewise = false) {
            std::optional<Reached> result;
            dial_by_proxy(
                loop, {*IpAddress::parse("127.0.0.1")}, spec, "example.net:22", [&](Reached reached) { result = std::move(reached); },
                std::chrono::milliseconds(700));
            if (!was_asked()) return result;
            for (std::size_t i = 0; bytewise && i < reply.size(); ++i) {
                answer(reply.substr(i, 1));
                run_until(
                    loop, [] { return false; }, std::chrono::milliseconds(1));
            }
            if (!bytewise) answer(reply);
            if (reply.empty()) connection.reset();
            run_until(loop, [&] { return result.has_value(); });
            return result;
        }
    };

private slots:
    void it_is_asked_for_the_name_with_the_user_s_authorization() {
        Proxy proxy;
        proxy.spec.authorization = "Basic dGVzczpzZWNyZXQ=";
        const auto reached = proxy.dial("HTTP/1.1 200 OK\r\n\r\n");
        QCOMPARE(proxy.asked, std::string("CONNECT example.net:22 HTTP/1.1\r\nHost: example.net:22\r\n"
                                          "Proxy-Authorization: Basic dGVzczpzZWNyZXQ=\r\n\r\n"));
        QVERIFY(reached && reached->errno_value == 0);
    }

    void what_follows_its_answer_is_the_connection_s() {
        for (const bool bytewise : {false, true}) {
            Proxy proxy;
            const auto reached = proxy.dial("HTTP/1.0 200 OK\r\nX: y\r\n\r\nSSH-2.0-banner", bytewise);
            QVERIFY(reached && reached->errno_value == 0);
            char bytes[64];
            const ssize_t got = ::recv(reached->socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
            QCOMPARE(std::string(bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))), std::string("SSH-2.0-banner"));
            QVERIFY((::fcntl(reached->socket.get(), F_GETFL) & O_NONBLOCK) != 0);
        }
    }

    void a_refusal_is_an_errno_and_the_proxy_s_own_words_data() {
        QTest::addColumn<QString>("reply");
        QTest::addColumn<int>("expected");
        QTest::addColumn<QString>("words");
        QTest::newRow("403") << "HTTP/1.1 403 Filtered\r\n\r\n" << ECONNREFUSED << "it answered 403 Filtered";
        QTest::newRow("407") << "HTTP/1.1 407 No\r\n\r\n" << ECONNREFUSED << "HTTPS_PROXY carries no USER:PASSWORD that it takes";
        QTest::newRow("502") << "HTTP/1.1 502 Bad Gateway\r\n\r\n" << EHOSTUNREACH << "it answered 502";
        QTest::newRow("504") << "HTTP/1.1 504 \x1b[31m\r\n\r\n" << ETIMEDOUT << "it answered 504 \\x1b[31m";
        QTest::newRow("not HTTP") << "SSH-2.0-x\r\n" << ECONNREFUSED << "what it answers is not HTTP";
        QTest::newRow("nothing") << "" << ECONNRESET << "without an answer";
        QTest::newRow("silence") << "HTTP/1.1 200" << ETIMEDOUT << "it does not answer";
    }
    void a_refusal_is_an_errno_and_the_proxy_s_own_words() {
        QFETCH(QString, reply);
        QFETCH(int, expected);
        QFETCH(QString, words);
        Proxy proxy;
        const auto reached = proxy.dial(reply.toStdString());
        QVERIFY(reached.has_value());
        QCOMPARE(reached->errno_value, expected);
        QVERIFY(!reached->socket);
        QVERIFY2(QString::fromStdString(reached->reason).contains(words), reached->reason.c_str());
        QVERIFY(reached->reason.starts_with("the proxy 127.0.0.1:"));
    }

    void one_that_is_not_there_is_said() {
        Proxy proxy;
        proxy.listener.reset();
        std::optional<Reached> result;
        dial_by_proxy(proxy.loop, {*IpAddress::parse("127.0.0.1")}, proxy.spec, "example.net:443",
                      [&](Reached reached) { result = std::move(reached); });
        QVERIFY(run_until(proxy.loop, [&] { return result.has_value(); }));
        QCOMPARE(result->errno_value, ECONNREFUSED);
        QCOMPARE(result->reason, "the proxy " + proxy.spec.place() + ": connect: Connection refused");
    }

    void names_are_the_proxy_s_to_resolve_unless_NO_PROXY_has_them() {
        boost::asio::io_context loop;
        FakeResolver resolver;
        resolver.names = {{"proxy.corp", {"10.0.0.1"}}, {"git.corp.example", {"10.0.0.2"}}, {"public.example", {"192.0.2.9"}}};
        EgressPolicy policy;
        policy.sets = {{"test", {}, {}, {}}};
        for (const char* network : {"192.0.2.0/24", "203.0.113.0/24"})
            policy.sets[0].allow.push_back(HostPattern::parse(network).value());
        const ProxySpec proxy{.host = "proxy.corp", .port = 3128, .authorization = {}, .direct = {"public.example", "203.0.113.0/24"}};
        const auto outside = Outside::make(loop, std::move(resolver.client), policy, proxy);
        const auto resolve = [&](Destination destination) {
            std::optional<Resolution> found;
            destination.port = 443;
            outside->resolve(destination, [&](Resolution resolution) { found = std::move(resolution); });
            run_until(loop, [&] {
                resolver.serve();
                return found.has_value();
            });
            return found.value_or(Resolution{});
        };
        const Resolution by_proxy = resolve(Destination{.name = "far.example.net"});
        QCOMPARE(by_proxy.proxy, std::string("proxy.corp:3128"));
        QCOMPARE(by_proxy.authority, std::string("far.example.net:443"));
        QCOMPARE(by_proxy.addresses.at(0).text(), std::string("10.0.0.1"));
        QCOMPARE(resolver.asked, std::vector<std::string>{"proxy.corp"});
        const Resolution direct = resolve(Destination{.name = "public.example"});
        QVERIFY(direct.proxy.empty());
        QCOMPARE(direct.addresses.at(0).text(), std::string("192.0.2.9"));
        // An address is judged before anybody is asked for it.
        QVERIFY(resolve(Destination{.name = {}, .ip = *IpAddress::parse("10.9.9.9")}).refused);
        QCOMPARE(resolve(Destination{.name = {}, .ip = *IpAddress::parse("192.0.2.1")}).authority, std::string("192.0.2.1:443"));
        QVERIFY(resolve(Destination{.name = {}, .ip = *IpAddress::parse("203.0.113.1")}).proxy.empty());
        Destination service;
        service.host_service = true;
        QVERIFY(resolve(service).proxy.empty());
    }
};

QTEST_GUILESS_MAIN(TestProxyDial)
#include "test_proxy_dial.moc"
