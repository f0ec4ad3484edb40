// The stub and the program it becomes, as the daemon starts them: a fork, a socket pair, a runtime folder.
#include "helper/resolver/stub.h"

#include "core/system/descriptor_passing.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

using namespace belljar;

class TestResolver : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> parent_;
    QString folder_;
    UniqueFd socket_;
    pid_t stub_ = -1;

    void start(const char* program) {
        auto pair = make_socketpair(SOCK_SEQPACKET);
        QVERIFY(pair.has_value());
        const QByteArray folder = folder_.toUtf8();
        stub_ = ::fork();
        if (stub_ == 0) {
            pair->first.reset();
            stub_main(pair->second.get(), program, folder.constData());
        }
        socket_ = std::move(pair->first);
        const timeval patience{10, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    void ask(const nlohmann::json& request) {
        const std::string message = request.dump();
        QCOMPARE(::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL),
                 static_cast<ssize_t>(message.size()));
    }
    nlohmann::json answer() {
        char message[16384];
        const ssize_t length = ::recv(socket_.get(), message, sizeof message, 0);
        if (length <= 0) return nullptr;
        return nlohmann::json::parse(std::string_view(message, static_cast<std::size_t>(length)));
    }
    std::string executable() const { return QFile::symLinkTarget(QString("/proc/%1/exe").arg(stub_)).toStdString(); }
    bool ended() {
        for (int i = 0; i < 200; ++i) {
            if (::waitpid(stub_, nullptr, WNOHANG) == stub_) {
                stub_ = -1;
                return true;
            }
            QTest::qSleep(10);
        }
        return false;
    }

private slots:
    void init() {
        parent_ = std::make_unique<QTemporaryDir>();
        folder_ = parent_->filePath("0123456789ab");
        QVERIFY(QDir().mkdir(folder_));
        QFile socket(folder_ + "/session.sock");
        QVERIFY(socket.open(QIODevice::WriteOnly));
    }
    void cleanup() {
        socket_.reset();
        if (stub_ <= 0) return;
        ::kill(stub_, SIGKILL);
        ::waitpid(stub_, nullptr, 0);
        stub_ = -1;
    }

    void waits_as_a_stub_until_a_name_is_needed() {
        start(BELLJAR_RESOLVER);
        QTest::qSleep(50);
        QVERIFY(executable() != BELLJAR_RESOLVER);
        ask({{"request", 1}, {"name", "localhost"}});
        QCOMPARE(answer()["request"], 1);
        QCOMPARE(executable(), std::string(BELLJAR_RESOLVER));
    }

    void resolves_by_the_host_s_own_rules() {
        start(BELLJAR_RESOLVER);
        ask({{"request", 7}, {"name", "localhost"}});
        const auto reply = answer();
        QCOMPARE(reply["request"], 7);
        QVERIFY(!reply["addresses"].empty());
        for (const auto& address : reply["addresses"])
            QVERIFY(address == "127.0.0.1" || address == "::1");
    }

    void says_what_does_not_resolve() {
        start(BELLJAR_RESOLVER);
        ask({{"request", 8}, {"name", "no-such-name.invalid"}});
        const auto reply = answer();
        QCOMPARE(reply["request"], 8);
        QVERIFY(!reply.contains("addresses"));
        QVERIFY(reply["code"].get<int>() != 0 && !reply["error"].get<std::string>().empty());
    }

    void answers_hundreds_of_requests() {
        start(BELLJAR_RESOLVER);
        constexpr int kRequests = 300;
        std::set<int> answered;
        for (int sent = 0; sent < kRequests; ++sent) {
            ask({{"request", sent}, {"name", "localhost"}});
            if (sent >= 32) answered.insert(answer()["request"].get<int>());
        }
        while (answered.size() < kRequests)
            answered.insert(answer()["request"].get<int>());
        QCOMPARE(answered.size(), std::size_t(kRequests));
    }

    void tidies_up_and_ends_at_end_of_file_data() {
        QTest::addColumn<bool>("asked");
        QTest::addColumn<QString>("program");
        QTest::newRow("as a stub") << false << BELLJAR_RESOLVER;
        QTest::newRow("as the resolver") << true << BELLJAR_RESOLVER;
        QTest::newRow("as a stub whose resolver is missing") << true << "/nonexistent/belljar-resolver";
    }
    void tidies_up_and_ends_at_end_of_file() {
        QFETCH(bool, asked);
        QFETCH(QString, program);
        const QByteArray path = program.toUtf8();
        start(path.constData());
        if (asked) ask({{"request", 1}, {"name", "localhost"}});
        if (asked) answer();
        QVERIFY(QDir(folder_).exists());
        socket_.reset();
        QVERIFY(ended());
        QVERIFY(!QDir(folder_).exists());
    }

    void is_end_of_file_to_the_supervisor_when_the_resolver_is_missing() {
        start("/nonexistent/belljar-resolver");
        ask({{"request", 1}, {"name", "localhost"}});
        char byte = 0;
        QCOMPARE(::recv(socket_.get(), &byte, 1, 0), ssize_t(0));
        QVERIFY(!ended()); // it still has the runtime folder to remove
    }

    void ends_when_it_is_asked_in_another_language() {
        start(BELLJAR_RESOLVER);
        ask("localhost");
        QVERIFY(ended());
    }

    void leaves_what_is_not_the_session_s() {
        QFile other(folder_ + "/other");
        QVERIFY(other.open(QIODevice::WriteOnly));
        remove_runtime_folder(folder_.toUtf8().constData());
        QVERIFY(QFile::exists(folder_ + "/other"));
        QVERIFY(!QFile::exists(folder_ + "/session.sock"));
    }

    void keeps_no_descriptor_and_no_terminal_of_its_parent() {
        auto held = make_pipe();
        QVERIFY(held.has_value());
        start(BELLJAR_RESOLVER);
        held->second.reset();
        char byte = 0;
        QCOMPARE(::read(held->first.get(), &byte, 1), ssize_t(0)); // the fork's copy is closed as well
        QCOMPARE(::getsid(stub_), stub_);
    }
};

QTEST_GUILESS_MAIN(TestResolver)
#include "test_resolver.moc"
