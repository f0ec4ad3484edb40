// A relay by itself, over loopback: what happens when there is no pipe left to splice through.
#include "helper/supervisor/relay.h"

#include "fakes.h"

#include <QtTest>
#include <fcntl.h>
#include <netinet/in.h>

using namespace belljar;
using namespace belljar::test;

class TestRelay : public QObject {
    Q_OBJECT

    static std::pair<UniqueFd, UniqueFd> tcp_pair() {
        UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
            client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
            ::listen(listener.get(), 1) != 0)
            return {};
        ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length);
        if (::connect(client.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) return {};
        UniqueFd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        ::fcntl(client.get(), F_SETFL, O_NONBLOCK);
        return {std::move(client), std::move(server)};
    }

private slots:
    void carries_with_and_without_a_pipe_data() {
        QTest::addColumn<bool>("pipes");
        QTest::newRow("through a pipe") << true;
        QTest::newRow("when every pipe is taken") << false;
    }
    void carries_with_and_without_a_pipe() {
        QFETCH(bool, pipes);
        boost::asio::io_context loop;
        PipePool pool;
        std::vector<SplicePipe> taken;
        while (!pipes) {
            auto pipe = pool.take();
            if (!pipe) break;
            taken.push_back(std::move(*pipe));
        }
        auto [client, inside] = tcp_pair();
        auto [outside, server] = tcp_pair();
        const auto counts = std::make_shared<RelayCounts>();
        std::optional<RelayEnd> end;
        const std::string first = "first ";
        std::vector<std::byte> first_bytes;
        for (const char c : first)
            first_bytes.push_back(static_cast<std::byte>(c));
        std::make_shared<Relay>(loop, pool, std::move(inside), std::move(outside), first_bytes, counts,
                                [&](RelayEnd how) { end = how; })
            ->start();

        std::string bytes(8u << 20, '\0'), got;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<char>(i * 2654435761u >> 11);
        std::size_t sent = 0;
        QVERIFY(run_until(
            loop,
            [&] {
                const ssize_t n =
                    ::send(client.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
                if (n > 0) sent += static_cast<std::size_t>(n);
                if (sent == bytes.size()) ::shutdown(client.get(), SHUT_WR);
                static std::array<char, 1 << 17> part;
                const ssize_t length = ::recv(server.get(), part.data(), part.size(), MSG_DONTWAIT);
                if (length > 0) got.append(part.data(), static_cast<std::size_t>(length));
                return length == 0;
            },
            std::chrono::seconds(60)));
        QVERIFY(got == first + bytes);
        QCOMPARE(counts->sent.load(), static_cast<std::uint64_t>(got.size()));
        QVERIFY(!end);
        QVERIFY(::send(server.get(), "bye", 3, MSG_NOSIGNAL) == 3);
        server.reset();
        QVERIFY(run_until(loop, [&] { return end.has_value(); }));
        QCOMPARE(*end, RelayEnd::Closed);
        char answer[4] = {};
        QCOMPARE(::recv(client.get(), answer, 3, 0), ssize_t(3));
        QCOMPARE(counts->received.load(), std::uint64_t(3));
    }

    void gives_every_pipe_back() {
        PipePool pool;
        for (int round = 0; round < 3; ++round) {
            std::vector<SplicePipe> taken;
            while (auto pipe = pool.take())
                taken.push_back(std::move(*pipe));
            QCOMPARE(taken.size(), std::size_t(64));
            for (SplicePipe& pipe : taken)
                pool.give_back(std::move(pipe));
        }
    }
};

QTEST_GUILESS_MAIN(TestRelay)
#include "test_relay.moc"
