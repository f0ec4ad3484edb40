// The race that "continue" loses: one thread flips what a connect names while another connects, 20,000 times. No denied
// server and no socket of the host may see anything, and each success must stand in the record.
#include "tests/helper/supervisor/broker_bench.h"

#include <QCoreApplication>
#include <QTest>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace belljar;
using namespace std::chrono_literals;

namespace {

constexpr int kTries = 20000;
std::string g_folder; // with the host's socket in it

struct Outcome {
    int successes = 0, refused = 0, wrong_peer = 0;
};

// Connects kTries times with `shared` while another thread writes `a` and `b` over it in turn.
Outcome race(const sockaddr_storage& a, const sockaddr_storage& b, socklen_t length, int family) {
    alignas(64) static sockaddr_storage shared;
    shared = a;
    std::atomic<bool> over = false;
    std::thread flipper([&] {
        while (!over) {
            std::memcpy(&shared, &b, sizeof b);
            std::memcpy(&shared, &a, sizeof a);
        }
    });
    Outcome outcome;
    for (int i = 0; i < kTries; ++i) {
        const UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const linger at_once{1, 0};
        ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&shared), length) != 0) {
            ++outcome.refused;
            continue;
        }
        ++outcome.successes;
        if (family != AF_INET) continue;
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        ::getpeername(fd.get(), reinterpret_cast<sockaddr*>(&peer), &size);
        if (peer.sin_addr.s_addr != in4("192.0.2.7", 0).sin_addr.s_addr || ntohs(peer.sin_port) != 8080)
            ++outcome.wrong_peer;
    }
    over = true;
    flipper.join();
    return outcome;
}

sockaddr_storage storage(const sockaddr_in& address) {
    sockaddr_storage out{};
    std::memcpy(&out, &address, sizeof address);
    return out;
}

sockaddr_storage storage(const sockaddr_un& address) {
    sockaddr_storage out{};
    std::memcpy(&out, &address, sizeof address);
    return out;
}

} // namespace

class ConnectRaceTest : public QObject {
    Q_OBJECT
    UniqueFd allowed_, denied_, denied_port_, host_;

    // Accepts while the loop turns, so that no backlog fills.
    static int accept_all(const UniqueFd& listener) { return arrivals(listener); }

public:
    explicit ConnectRaceTest(UniqueFd host) : host_(std::move(host)) {}

private slots:
    void initTestCase() {
        allowed_ = listen_tcp("192.0.2.7", 8080);
        denied_ = listen_tcp("192.0.2.8", 8080);
        denied_port_ = listen_tcp("192.0.2.7", 8081);
    }

    void an_address_or_port_that_flips_never_reaches_what_is_denied_data() {
        QTest::addColumn<QByteArray>("ip");
        QTest::addColumn<int>("port");
        QTest::newRow("the address flips") << QByteArray("192.0.2.8") << 8080;
        QTest::newRow("the port flips") << QByteArray("192.0.2.7") << 8081;
    }

    void an_address_or_port_that_flips_never_reaches_what_is_denied() {
        QFETCH(QByteArray, ip);
        QFETCH(int, port);
        const auto result = std::make_unique<std::string>(std::filesystem::temp_directory_path() /
                                                          ("belljar-race-" + std::to_string(::getpid())));
        FilteredChild child([&] {
            const Outcome outcome =
                race(storage(in4("192.0.2.7", 8080)), storage(in4(ip.constData(), static_cast<std::uint16_t>(port))),
                     sizeof(sockaddr_in), AF_INET);
            std::ofstream(*result) << outcome.successes << ' ' << outcome.refused << ' ' << outcome.wrong_peer;
            return 0;
        });
        BrokerBench bench(child);
        bench.room.add(link::Role::DoorTcp4, 0, UniqueFd(::dup(allowed_.get())));
        std::atomic<bool> over = false;
        std::atomic<int> arrived = 0;
        std::thread acceptor([&] {
            while (!over) {
                arrived += accept_all(allowed_);
                std::this_thread::sleep_for(1ms);
            }
        });
        const int status = bench.run(child, 100s);
        over = true;
        acceptor.join();
        QCOMPARE(status, 0);
        Outcome outcome;
        std::ifstream(*result) >> outcome.successes >> outcome.refused >> outcome.wrong_peer;
        std::filesystem::remove(*result);
        qInfo("%d successes, %d refused", outcome.successes, outcome.refused);
        QCOMPARE(outcome.successes + outcome.refused, kTries);
        QVERIFY(outcome.successes > 0 && outcome.refused > 0);
        QCOMPARE(outcome.wrong_peer, 0);
        QCOMPARE(accept_all(denied_) + accept_all(denied_port_), 0);
        QCOMPARE(static_cast<int>(bench.egress("allowed").size()), outcome.successes);
        QCOMPARE(static_cast<int>(bench.door.expected.size()), outcome.successes);
    }

    void a_family_that_flips_never_reaches_a_socket_of_the_host_data() {
        QTest::addColumn<int>("family");
        QTest::newRow("an internet socket") << AF_INET;
        QTest::newRow("a Unix socket") << AF_UNIX;
    }

    void a_family_that_flips_never_reaches_a_socket_of_the_host() {
        QFETCH(int, family);
        FilteredChild child([&] {
            race(storage(in4("192.0.2.7", 8080)), storage(unix_address(g_folder + "/host.sock")), sizeof(sockaddr_un),
                 family);
            return 0;
        });
        BrokerBench bench(child);
        bench.room.add(link::Role::DoorTcp4, 0, UniqueFd(::dup(allowed_.get())));
        std::atomic<bool> over = false;
        std::thread acceptor([&] {
            while (!over) {
                accept_all(allowed_);
                std::this_thread::sleep_for(1ms);
            }
        });
        const int status = bench.run(child, 100s);
        over = true;
        acceptor.join();
        QCOMPARE(status, 0);
        QCOMPARE(accept_all(host_), 0);
    }
};

int main(int argc, char** argv) {
    char folder[] = "/tmp/belljar-race-XXXXXX";
    require(::mkdtemp(folder) != nullptr, "mkdtemp");
    g_folder = folder;
    UniqueFd host = listen_unix(g_folder + "/host.sock"); // of another network namespace than the test's
    enter_own_network();
    ::signal(SIGPIPE, SIG_IGN);
    QCoreApplication application(argc, argv);
    ConnectRaceTest test(std::move(host));
    const int failed = QTest::qExec(&test, argc, argv);
    std::filesystem::remove_all(g_folder);
    return failed;
}
#include "connect_race_test.moc"
