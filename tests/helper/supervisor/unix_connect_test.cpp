// Unix sockets: the session's own just work, by every way to name them; those of the host are refused and recorded.
#include "helper/supervisor/session_path.h"
#include "tests/helper/supervisor/broker_bench.h"

#include <QCoreApplication>
#include <QFile>
#include <QTest>
#include <filesystem>
#include <fstream>

using namespace belljar;

namespace {

std::string g_folder;

UniqueFd unix_socket(int type = SOCK_STREAM) {
    return UniqueFd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
}

int connect_path(const std::string& path, int type = SOCK_STREAM) {
    return connect_errno(unix_socket(type).get(), unix_address(path));
}

} // namespace

class UnixConnectTest : public QObject {
    Q_OBJECT
    UniqueFd host_, host_packets_;

public:
    UnixConnectTest(UniqueFd host, UniqueFd host_packets)
        : host_(std::move(host)), host_packets_(std::move(host_packets)) {}

private slots:
    void a_socket_of_the_host_is_refused_by_every_path_data() {
        QTest::addColumn<QByteArray>("way");
        QTest::addColumn<int>("type");
        QTest::newRow("absolute") << QByteArray(g_folder.c_str()) + "/host.sock" << int{SOCK_STREAM};
        QTest::newRow("relative") << QByteArray("host.sock") << int{SOCK_STREAM};
        QTest::newRow("with dots") << QByteArray("../") + std::filesystem::path(g_folder).filename().c_str() +
                                          "/./host.sock"
                                   << int{SOCK_STREAM};
        QTest::newRow("a symlink") << QByteArray("alias") << int{SOCK_STREAM};
        QTest::newRow("an absolute symlink") << QByteArray("absolute") << int{SOCK_STREAM};
        QTest::newRow("a hard link") << QByteArray("hard") << int{SOCK_STREAM};
        QTest::newRow("by way of /proc/self/cwd") << QByteArray("/proc/self/cwd/host.sock") << int{SOCK_STREAM};
        QTest::newRow("by way of /proc/self/root")
            << QByteArray("/proc/self/root") + g_folder.c_str() + "/host.sock" << int{SOCK_STREAM};
        QTest::newRow("seqpacket") << QByteArray("host-packets.sock") << int{SOCK_SEQPACKET};
    }

    void a_socket_of_the_host_is_refused_by_every_path() {
        QFETCH(QByteArray, way);
        QFETCH(int, type);
        FilteredChild child([&] {
            if (::chdir(g_folder.c_str()) != 0) return 1;
            return connect_path(way.toStdString(), type);
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), EACCES);
        QCOMPARE(arrivals(host_) + arrivals(host_packets_), 0);
        const auto denied = bench.egress("denied");
        QCOMPARE(denied.size(), 1u);
        QCOMPARE(denied[0].fields["proto"].get<std::string>(), std::string("unix"));
        QCOMPARE(denied[0].fields["host"].get<std::string>(), way.toStdString());
    }

    void the_session_s_own_sockets_just_work_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("way");
        QTest::addColumn<int>("type");
        QTest::newRow("absolute") << QByteArray("own1") << QByteArray(g_folder.c_str()) + "/own1" << int{SOCK_STREAM};
        QTest::newRow("relative") << QByteArray("own2") << QByteArray("own2") << int{SOCK_STREAM};
        QTest::newRow("seqpacket") << QByteArray("own3") << QByteArray("own3") << int{SOCK_SEQPACKET};
    }

    void the_session_s_own_sockets_just_work() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, way);
        QFETCH(int, type);
        FilteredChild child([&] {
            if (::chdir(g_folder.c_str()) != 0) return 1;
            const UniqueFd server = listen_unix(name.toStdString(), type);
            if (const int failed = connect_path(way.toStdString(), type)) return failed;
            return arrivals(server) == 1 ? 0 : 200;
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), 0);
        QVERIFY(bench.record.events.empty());
    }

    void an_abstract_name_is_the_session_s_own() {
        FilteredChild child([] {
            const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            std::memcpy(address.sun_path, "\0own", 4);
            const socklen_t length = offsetof(sockaddr_un, sun_path) + 4;
            if (::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
                ::listen(server.get(), 4) != 0)
                return 1;
            if (connect_errno(unix_socket().get(), address, length) != 0) return 2;
            address.sun_path[1] = 'x';
            return connect_errno(unix_socket().get(), address, length) == ECONNREFUSED ? 0 : 3;
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), 0);
        QVERIFY(bench.record.events.empty());
    }

    void odd_names_get_the_kernel_s_own_answers() {
        FilteredChild child([] {
            if (::chdir(g_folder.c_str()) != 0) return 1;
            if (connect_path("nothing-here") != ENOENT) return 2;
            if (connect_path("file") != ECONNREFUSED) return 3;
            if (connect_path("file/below") != ENOTDIR) return 4;
            if (connect_path("loop") != ELOOP) return 5;
            sockaddr_un empty{};
            empty.sun_family = AF_UNIX;
            if (connect_errno(unix_socket().get(), empty, 2) != EINVAL) return 6;
            if (connect_errno(unix_socket().get(), in4("192.0.2.8", 80)) != EINVAL) return 7;
            return 0;
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), 0);
        QVERIFY(bench.record.events.empty());
    }

    // tmux, ssh's ControlMaster and others start anew when the socket they left is dead.
    void a_dead_socket_on_a_mount_of_the_session_s_own_refuses_the_connection() {
        FilteredChild child([] {
            if (::chdir(g_folder.c_str()) != 0) return 1;
            { const UniqueFd server = listen_unix("dead"); }
            return connect_path("dead");
        });
        BrokerBench bench(child);
        bench.sockets.learn_private_mounts(::getpid(), "/");
        QCOMPARE(bench.run(child), ECONNREFUSED);
        QVERIFY(bench.record.events.empty());
    }

    void a_socket_in_a_shared_home_counts_as_dead_only_while_nobody_else_has_the_home() {
        const auto hold = [] {
            UniqueFd lock(::open((g_folder + "/home-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
            struct flock shared {};
            shared.l_type = F_RDLCK;
            shared.l_len = 1;
            require(::fcntl(lock.get(), F_OFD_SETLK, &shared) == 0, "lock the home");
            return lock;
        };
        for (const bool somebody_else : {true, false}) {
            const UniqueFd other = somebody_else ? hold() : UniqueFd();
            FilteredChild child([] {
                if (::chdir(g_folder.c_str()) != 0) return 1;
                { const UniqueFd server = listen_unix("dead3"); }
                const int error = connect_path("dead3");
                return ::unlink("dead3") == 0 ? error : 2;
            });
            BrokerBench bench(child);
            bench.sockets.learn_private_mounts(::getpid(), "/");
            bench.sockets.learn_shared_home(::getpid(), "/tmp", hold());
            QCOMPARE(bench.run(child), somebody_else ? EACCES : ECONNREFUSED);
            QCOMPARE(bench.egress("denied").size(), somebody_else ? 1u : 0u);
        }
    }

    void a_dead_socket_elsewhere_may_be_the_host_s() {
        FilteredChild child([] {
            if (::chdir(g_folder.c_str()) != 0) return 1;
            { const UniqueFd server = listen_unix("dead2"); }
            return connect_path("dead2");
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), EACCES);
    }

    // Even to the session's own, for after connect() each message may name another.
    void datagram_sockets_with_names_are_refused() {
        FilteredChild child([] {
            const UniqueFd server = unix_socket(SOCK_DGRAM);
            const sockaddr_un own = unix_address(g_folder + "/own-datagrams");
            if (::bind(server.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return 1;
            return connect_path(g_folder + "/own-datagrams", SOCK_DGRAM);
        });
        BrokerBench bench(child);
        QCOMPARE(bench.run(child), EACCES);
        QCOMPARE(bench.egress("denied").size(), 1u);
    }

    void a_path_never_leads_above_the_caller_s_root() {
        const std::string root = g_folder + "/root";
        std::filesystem::create_directory(root);
        std::ofstream(root + "/own") << "in the root";
        std::filesystem::create_symlink(g_folder + "/file", root + "/absolute");
        FilteredChild child([&] {
            if (::chroot(root.c_str()) != 0 || ::chdir("/") != 0) return 1;
            ::pause();
            return 0;
        });
        const std::string link = "/proc/" + std::to_string(child.pid()) + "/root";
        QTRY_COMPARE(QFile::symLinkTarget(link.c_str()), QString::fromStdString(root));
        for (const char* path : {"/own", "/../../own", "/./own"})
            QVERIFY2(open_in_session(child.pid(), path), path);
        for (const std::string& path : {g_folder + "/file", "/.." + g_folder + "/file", std::string("../file"),
                                        std::string("/../file"), std::string("absolute"), std::string("/absolute")})
            QVERIFY2(!open_in_session(child.pid(), path), path.c_str());
        QVERIFY(!open_in_session(child.pid(), ""));
        QCOMPARE(open_in_session(child.pid(), "/" + std::string(107, 'x')).error(), ENOENT);
    }
};

int main(int argc, char** argv) {
    char folder[] = "/tmp/belljar-unix-XXXXXX";
    require(::mkdtemp(folder) != nullptr, "mkdtemp");
    g_folder = folder;
    UniqueFd host = listen_unix(g_folder + "/host.sock"); // of another network namespace than the test's
    UniqueFd host_packets = listen_unix(g_folder + "/host-packets.sock", SOCK_SEQPACKET);
    std::filesystem::create_symlink("host.sock", g_folder + "/alias");
    std::filesystem::create_symlink(g_folder + "/host.sock", g_folder + "/absolute");
    std::filesystem::create_symlink("loop", g_folder + "/loop");
    std::filesystem::create_hard_link(g_folder + "/host.sock", g_folder + "/hard");
    std::ofstream(g_folder + "/file") << "not a socket";
    enter_own_network();
    QCoreApplication application(argc, argv);
    UnixConnectTest test(std::move(host), std::move(host_packets));
    const int failed = QTest::qExec(&test, argc, argv);
    std::filesystem::remove_all(g_folder);
    return failed;
}
#include "unix_connect_test.moc"
