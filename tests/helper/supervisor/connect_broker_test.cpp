// connect() of a real process, decided before a socket opens: what the caller sees, what the record says, what arrives.
#include "tests/helper/supervisor/broker_bench.h"

#include <QCoreApplication>
#include <QTest>
#include <atomic>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <thread>

using namespace belljar;
using namespace std::chrono_literals;

namespace {

UniqueFd tcp(int flags = 0) {
    return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

Endpoint name_of(int fd, int (*ask)(int, sockaddr*, socklen_t*)) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (ask(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
    return Endpoint::from(reinterpret_cast<const sockaddr*>(&address), length).value_or(Endpoint{});
}

sockaddr_in6 mapped(const char* ip, std::uint16_t port) {
    sockaddr_storage storage{};
    Endpoint{*IpAddress::parse(ip), port}.to(storage, true);
    return *reinterpret_cast<const sockaddr_in6*>(&storage);
}

} // namespace

class ConnectBrokerTest : public QObject {
    Q_OBJECT
    UniqueFd door_listener_, denied_listener_;

    void give_room(BrokerBench& bench) {
        bench.room.add(link::Role::DoorTcp4, 0, UniqueFd(::dup(door_listener_.get())));
    }

private slots:
    void init() {
        door_listener_.reset();
        denied_listener_.reset();
        door_listener_ = listen_tcp("192.0.2.7", 8080);
        denied_listener_ = listen_tcp("192.0.2.8", 8080);
    }

    void a_denied_address_is_refused_recorded_and_never_reached() {
        FilteredChild child([] { return connect_errno(tcp().get(), in4("192.0.2.8", 8080)); });
        const pid_t pid = child.pid();
        BrokerBench bench(child);
        give_room(bench);
        QCOMPARE(bench.run(child), EACCES);
        QCOMPARE(arrivals(denied_listener_), 0);
        const auto denied = bench.egress("denied");
        QCOMPARE(denied.size(), 1u);
        const Json& fields = denied[0].fields;
        QCOMPARE(fields["host"].get<std::string>(), std::string("192.0.2.8"));
        QCOMPARE(fields["port"].get<int>(), 8080);
        QCOMPARE(fields["proto"].get<std::string>(), std::string("tcp"));
        QCOMPARE(fields["pid"].get<int>(), pid);
        QVERIFY(!fields["exe"].get<std::string>().empty() && !fields["argv"].empty() &&
                !fields["reason"].get<std::string>().empty());
        QVERIFY(bench.door.expected.empty() && bench.outside.dialled == 0);
    }

    // As of an execute-only program of another owner's, its descriptors and its memory are out of reach: its memory
    // belongs to the user namespace in which the test was started (ptrace(2), access mode checking).
    void a_caller_that_cannot_be_looked_into_counts_as_a_denied_connection() {
        FilteredChild child([] {
            const UniqueFd fd = tcp();
            ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
            for (int i = 0; i < 3; ++i)
                if (connect_errno(fd.get(), in4("192.0.2.7", 8080)) != EACCES) return 1;
            return 0;
        });
        BrokerBench bench(child);
        give_room(bench);
        QCOMPARE(bench.run(child), 0);
        QCOMPARE(bench.egress("denied").size(), 1u); // the others as its repeats
        QCOMPARE(bench.recorder.totals().denied, 3u);
        QVERIFY(bench.record.of("syscall-denied").empty() && bench.egress("allowed").empty());
        QCOMPARE(arrivals(door_listener_), 0);
    }

    void an_allowed_address_is_committed_dialled_and_connected() {
        FilteredChild child([] {
            const UniqueFd fd = tcp();
            if (connect_errno(fd.get(), in4("192.0.2.7", 8080)) != 0) return 1;
            if (name_of(fd.get(), ::getpeername).text() != "192.0.2.7:8080") return 2;
            return connect_errno(fd.get(), in4("192.0.2.7", 8080)) == EISCONN ? 0 : 3;
        });
        BrokerBench bench(child);
        give_room(bench);
        QCOMPARE(bench.run(child), 0);
        QCOMPARE(bench.egress("allowed").size(), 1u);
        QCOMPARE(bench.egress("allowed")[0].fields["ip"].get<std::string>(), std::string("203.0.113.5"));
        QCOMPARE(bench.door.expected.size(), 1u);
        const ExpectedConnection& expected = bench.door.expected[0];
        sockaddr_storage peer{};
        socklen_t length = sizeof peer;
        const UniqueFd accepted(
            ::accept4(door_listener_.get(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_CLOEXEC));
        QVERIFY(accepted);
        QCOMPARE(expected.source.text(), Endpoint::from(reinterpret_cast<sockaddr*>(&peer), length)->text());
        QCOMPARE(expected.original.text(), std::string("192.0.2.7:8080"));
        QVERIFY(expected.committed && expected.outside);
        QCOMPARE(bench.egress("allowed")[0].fields["conn"].get<std::uint64_t>(), expected.conn);
    }

    void the_outside_s_errno_is_the_caller_s() {
        FilteredChild child([] { return connect_errno(tcp().get(), in4("192.0.2.7", 8080)); });
        BrokerBench bench(child);
        give_room(bench);
        bench.outside.dial_errno = ECONNREFUSED;
        QCOMPARE(bench.run(child), ECONNREFUSED);
        QCOMPARE(bench.record.of("egress-closed").size(), 1u);
        QCOMPARE(arrivals(door_listener_), 0);
    }

    void what_resolves_to_a_refused_address_is_denied_with_that_reason() {
        FilteredChild child([] { return connect_errno(tcp().get(), in4("192.0.2.7", 8080)); });
        BrokerBench bench(child);
        give_room(bench);
        bench.outside.resolution = Resolution{.refused = true, .reason = "it resolves to a loopback address"};
        QCOMPARE(bench.run(child), EACCES);
        QCOMPARE(bench.egress("denied").at(0).fields["reason"].get<std::string>(),
                 std::string("it resolves to a loopback address"));
        QVERIFY(bench.egress("allowed").empty());
    }

    void a_name_that_does_not_resolve_gives_its_errno() {
        FilteredChild child([] { return connect_errno(tcp().get(), in4("192.0.2.7", 8080)); });
        BrokerBench bench(child);
        give_room(bench);
        bench.outside.resolution = Resolution{.errno_value = EHOSTUNREACH, .reason = "no such name"};
        QCOMPARE(bench.run(child), EHOSTUNREACH);
        QCOMPARE(bench.record.of("egress-closed").size(), 1u);
    }

    void without_a_record_there_is_no_egress() {
        FilteredChild child([] { return connect_errno(tcp().get(), in4("192.0.2.7", 8080)); });
        BrokerBench bench(child);
        give_room(bench);
        bench.record.failing = true;
        QCOMPARE(bench.run(child), EACCES);
        QVERIFY(bench.door.expected.empty() && bench.outside.dialled == 0);
        QCOMPARE(arrivals(door_listener_), 0);
    }

    void a_non_blocking_socket_is_not_held_and_stays_non_blocking() {
        FilteredChild child([] {
            const UniqueFd fd = tcp(SOCK_NONBLOCK);
            const int first = connect_errno(fd.get(), in4("192.0.2.7", 8080));
            if (first != EINPROGRESS && first != 0) return 1;
            pollfd writable{fd.get(), POLLOUT, 0};
            if (::poll(&writable, 1, 2000) != 1) return 2;
            const int again = connect_errno(fd.get(), in4("192.0.2.7", 8080));
            if (again != 0 && again != EISCONN) return 3;
            if (connect_errno(fd.get(), in4("192.0.2.7", 8080)) != EISCONN) return 4;
            return (::fcntl(fd.get(), F_GETFL) & O_NONBLOCK) != 0 ? 0 : 5;
        });
        BrokerBench bench(child);
        give_room(bench);
        QCOMPARE(bench.run(child), 0);
        QCOMPARE(bench.door.expected.size(), 1u);
        QVERIFY(!bench.door.expected[0].committed && !bench.door.expected[0].outside &&
                bench.door.expected[0].way.addresses.empty());
        QCOMPARE(arrivals(door_listener_), 1);
    }

    void a_full_door_answers_EAGAIN() {
        FilteredChild child([] { return connect_errno(tcp().get(), in4("192.0.2.7", 8080)); });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), EAGAIN); // no listener known: no room
        QCOMPARE(bench.record.of("egress-closed").size(), 1u);
    }

    void the_session_s_own_loopback_just_works() {
        FilteredChild child([] {
            const UniqueFd server = listen_tcp("127.0.0.1", 8081);
            if (connect_errno(tcp().get(), in4("127.0.0.1", 8081)) != 0) return 1;
            const int flying = connect_errno(tcp(SOCK_NONBLOCK).get(), in4("127.0.0.1", 8081));
            if (flying != 0 && flying != EINPROGRESS) return 2;
            return connect_errno(tcp().get(), in4("127.0.0.1", 8082)) == ECONNREFUSED ? 0 : 3;
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), 0);
        QVERIFY(bench.record.events.empty());
    }

    // A full backlog makes connect() hang: that must hold up nobody but its caller.
    void a_connect_that_hangs_holds_up_nobody_else() {
        FilteredChild child([]() -> int {
            const UniqueFd server = listen_tcp("127.0.0.1", 8083, 0);
            std::vector<std::thread> stuck;
            for (int i = 0; i < 8; ++i)
                stuck.emplace_back([] {
                    const UniqueFd fd = tcp();
                    (void)connect_errno(fd.get(), in4("127.0.0.1", 8083));
                });
            ::usleep(100'000);
            const auto before = std::chrono::steady_clock::now();
            const int denied = connect_errno(tcp().get(), in4("192.0.2.8", 8080));
            const bool quick = std::chrono::steady_clock::now() - before < 500ms;
            ::_exit(denied == EACCES && quick ? 0 : 1); // the threads are killed in their connects
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), 0);
        const auto before = std::chrono::steady_clock::now();
        bench.threads.reset(); // interrupts them
        QVERIFY(std::chrono::steady_clock::now() - before < 2s);
    }

    // Whether a connect may block is the caller's to change after we have looked.
    void a_caller_that_flips_its_flags_does_not_hold_up_the_loop() {
        FilteredChild child([]() -> int {
            const UniqueFd server = listen_tcp("127.0.0.1", 8086, 0);
            std::vector<UniqueFd> filling;
            for (int i = 0; i < 4; ++i) {
                filling.push_back(tcp(SOCK_NONBLOCK));
                (void)connect_errno(filling.back().get(), in4("127.0.0.1", 8086));
            }
            static std::atomic<int> target{-1}; // outlives the threads
            for (int i = 0; i < 2; ++i)
                std::thread([] {
                    for (;;)
                        for (const int flags : {O_RDWR, O_RDWR | O_NONBLOCK})
                            ::fcntl(target, F_SETFL, flags);
                }).detach();
            const auto until = std::chrono::steady_clock::now() + 2s;
            for (int i = 0; i < 400 && std::chrono::steady_clock::now() < until; ++i) {
                const UniqueFd fd = tcp(SOCK_NONBLOCK);
                const int retries = 1; // three seconds of trying
                ::setsockopt(fd.get(), IPPROTO_TCP, TCP_SYNCNT, &retries, sizeof retries);
                target = fd.get();
                (void)connect_errno(fd.get(), in4("127.0.0.1", 8086));
                target = -1;
            }
            ::_exit(0);
        });
        BrokerBench bench(child);
        std::chrono::steady_clock::duration longest{};
        std::optional<int> status;
        for (const auto until = std::chrono::steady_clock::now() + 60s;
             !status && std::chrono::steady_clock::now() < until; status = child.ended()) {
            const auto before = std::chrono::steady_clock::now();
            bench.loop.restart();
            bench.loop.run_for(5ms);
            longest = std::max(longest, std::chrono::steady_clock::now() - before);
        }
        QCOMPARE(status.value_or(-1), 0);
        QVERIFY2(longest < 1500ms, qPrintable(QString::number(longest / 1ms)));
    }

    void beyond_the_threads_a_blocking_connect_answers_EAGAIN() {
        FilteredChild child([]() -> int {
            const UniqueFd server = listen_tcp("127.0.0.1", 8084, 0);
            static std::atomic<int> refused{0}; // since the last that got through; outlives the threads that stay stuck
            std::vector<std::thread> stuck;
            for (int i = 0; i < 6; ++i)
                stuck.emplace_back([] {
                    const UniqueFd fd = tcp();
                    for (; connect_errno(fd.get(), in4("127.0.0.1", 8084)) == EAGAIN; ::usleep(5'000))
                        ++refused;
                    refused = 0;
                });
            for (int waited = 0; refused < 50 && waited < 2000; ++waited)
                ::usleep(10'000); // until all threads are taken, and stay so
            ::_exit(connect_errno(tcp().get(), in4("127.0.0.1", 8084)));
        });
        BrokerBench bench(child, {}, 2);
        QCOMPARE(bench.run(child), EAGAIN);
    }

    void udp_is_connected_for_dns_only_and_its_caller_remembered() {
        FilteredChild child([] {
            const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            if (connect_errno(fd.get(), in4("192.0.2.7", 8080)) != EACCES) return 1;
            if (connect_errno(fd.get(), in4("192.0.2.53", 53)) != 0) return 2;
            const sockaddr none{AF_UNSPEC, {}};
            return connect_errno(fd.get(), none) == 0 ? 0 : 3;
        });
        const pid_t pid = child.pid();
        BrokerBench bench(child);
        bool remembered = false;
        QCOMPARE(bench.run(child), 0);
        for (int port = 1024; port < 65536 && !remembered; ++port)
            if (const auto caller =
                    bench.dns_callers.caller({*IpAddress::parse("192.0.2.53"), static_cast<std::uint16_t>(port)}))
                remembered = caller->pid == pid;
        for (int port = 1024; port < 65536 && !remembered; ++port)
            if (const auto caller =
                    bench.dns_callers.caller({*IpAddress::parse("192.0.2.1"), static_cast<std::uint16_t>(port)}))
                remembered = caller->pid == pid;
        QVERIFY(remembered);
        const auto denied = bench.egress("denied");
        QCOMPARE(denied.size(), 1u);
        QCOMPARE(denied[0].fields["proto"].get<std::string>(), std::string("udp"));
    }

    void odd_calls_get_the_kernel_s_own_answers() {
        FilteredChild child([] {
            const sockaddr_in good = in4("192.0.2.7", 8080);
            const sockaddr_in6 other = mapped("192.0.2.7", 8080);
            if (connect_errno(tcp().get(), other) != EAFNOSUPPORT) return 1;
            if (connect_errno(tcp().get(), good, 1) != EINVAL) return 2;
            if (connect_errno(tcp().get(), good, 8) != EINVAL) return 3;
            if (connect_errno(tcp().get(), good, 4096) != EINVAL) return 4;
            if (connect_errno(tcp().get(), good, static_cast<socklen_t>(-1)) != EINVAL) return 5;
            if (::connect(tcp().get(), reinterpret_cast<const sockaddr*>(8), 16) == 0 || errno != EFAULT) return 6;
            if (connect_errno(9999, good) != EBADF) return 7;
            const UniqueFd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
            if (connect_errno(file.get(), good) != ENOTSOCK) return 8;
            const sockaddr none{AF_UNSPEC, {}};
            if (connect_errno(tcp().get(), none) != 0) return 9;
            const UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0));
            const sockaddr_nl kernel{.nl_family = AF_NETLINK};
            return connect_errno(netlink.get(), kernel) == 0 ? 0 : 10;
        });
        BrokerBench bench(child);
        give_room(bench);
        QCOMPARE(bench.run(child), 0);
        QVERIFY(bench.record.events.empty());
    }

    void a_v4_mapped_address_is_judged_as_the_address_it_carries() {
        FilteredChild child([] {
            const UniqueFd allowed(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
            if (connect_errno(allowed.get(), mapped("192.0.2.7", 8080)) != 0) return 1;
            const UniqueFd denied(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
            return connect_errno(denied.get(), mapped("192.0.2.8", 8080)) == EACCES ? 0 : 2;
        });
        BrokerBench bench(child);
        give_room(bench);
        QCOMPARE(bench.run(child), 0);
        QCOMPARE(bench.door.expected.at(0).original.text(), std::string("192.0.2.7:8080"));
        QCOMPARE(arrivals(denied_listener_), 0);
    }

    void a_stand_in_address_is_recorded_by_its_name() {
        static sockaddr_in address;
        boost::asio::io_context unused;
        auto judge = *Judge::make(spec_allowing({"name.test:8080"}));
        const auto stand_in = *judge.stand_in("name.test");
        address = in4(stand_in.text().c_str(), 8080);
        const UniqueFd listener = listen_tcp(stand_in.text().c_str(), 8080);
        FilteredChild child([] { return connect_errno(tcp().get(), address); });
        BrokerBench bench(child);
        bench.judge = std::move(judge);
        give_room(bench);
        QCOMPARE(bench.run(child), 0);
        QCOMPARE(bench.egress("allowed").at(0).fields["host"].get<std::string>(), std::string("name.test"));
        QCOMPARE(arrivals(listener), 1);
    }
};

int main(int argc, char** argv) {
    enter_own_network();
    ::signal(SIGPIPE, SIG_IGN);
    QCoreApplication application(argc, argv);
    ConnectBrokerTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "connect_broker_test.moc"
