// The terminal's relay between a real pty and a client's stream: nothing lost, nobody waited for that is not there.
#include "helper/supervisor/terminal.h"

#include "core/system/descriptor_passing.h"
#include "core/system/files.h"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>

using namespace belljar;
using namespace std::chrono_literals;

namespace {

struct Bench {
    QTemporaryDir folder;
    boost::asio::io_context loop{1};
    UniqueFd slave, client;
    std::unique_ptr<Terminal> terminal;

    explicit Bench(bool with_client, std::size_t log_limit = kMaxConsoleBytes) {
        int master = -1, other = -1;
        if (::openpty(&master, &other, nullptr, nullptr, nullptr) != 0) throw std::runtime_error("openpty");
        slave = UniqueFd(other);
        termios raw{};
        ::tcgetattr(other, &raw);
        ::cfmakeraw(&raw);
        ::tcsetattr(other, TCSANOW, &raw);
        UniqueFd theirs;
        if (with_client) {
            auto pair = make_socketpair(SOCK_STREAM | SOCK_NONBLOCK);
            client = std::move(pair->first);
            theirs = std::move(pair->second);
        }
        UniqueFd log(::open(log_path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        terminal = std::make_unique<Terminal>(loop, UniqueFd(master), std::move(theirs), std::move(log),
                                              TerminalSize{}, log_limit);
        terminal->start();
    }
    std::string log_path() const { return folder.path().toStdString() + "/console.log"; }
    std::string log() const { return *read_file(log_path(), 64u << 20); }
    void run_for(std::chrono::milliseconds time) {
        loop.restart();
        loop.run_for(time);
    }
    // A pty passes its bytes on when a kernel thread gets round to it, which on a busy machine takes a while.
    void run_until(const std::function<bool()>& done) {
        const auto until = std::chrono::steady_clock::now() + 10s;
        while (!done() && std::chrono::steady_clock::now() < until)
            run_for(2ms);
    }
    std::string taken() {
        std::string all(1u << 20, '\0');
        const ssize_t got = ::recv(client.get(), all.data(), all.size(), 0);
        all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return all;
    }
    std::string taken(std::size_t size) {
        std::string all;
        run_until([&] { return (all += taken()).size() >= size; });
        return all;
    }
};

} // namespace

class TerminalTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ::signal(SIGPIPE, SIG_IGN); }

    void output_goes_to_the_client_and_the_transcript_bytes_as_they_are() {
        Bench bench(true);
        const std::string bytes("\x1b[31m\0\xff\xfe no newline", 19);
        QVERIFY(write_all(bench.slave.get(), bytes, "slave"));
        QCOMPARE(bench.taken(bytes.size()), bytes);
        QCOMPARE(bench.log(), bytes);
    }

    void input_goes_to_the_session() {
        Bench bench(true);
        QVERIFY(write_all(bench.client.get(), "typed", "client"));
        bench.run_until([&] {
            pollfd typed{bench.slave.get(), POLLIN, 0};
            return ::poll(&typed, 1, 0) == 1;
        });
        char buffer[16];
        QCOMPARE(::read(bench.slave.get(), buffer, sizeof buffer), 5);
    }

    // The session waits, the loop does not.
    void a_client_that_does_not_read_holds_the_session_back_and_loses_nothing() {
        Bench bench(true);
        ::fcntl(bench.slave.get(), F_SETFL, O_NONBLOCK);
        const std::string chunk(4096, 'x');
        std::size_t written = 0;
        constexpr int kRounds = 4000; // 16 MB, far more than a socket and a pty hold
        for (int round = 0; round < kRounds; ++round) {
            const ssize_t put = ::write(bench.slave.get(), chunk.data(), chunk.size());
            if (put > 0) written += static_cast<std::size_t>(put);
            bench.loop.restart();
            bench.loop.poll();
        }
        QVERIFY2(written < (2u << 20), std::to_string(written).c_str());
        std::size_t taken = 0;
        for (int round = 0; round < 2000 && taken < written; ++round) {
            taken += bench.taken().size();
            bench.run_for(2ms);
        }
        QCOMPARE(taken, written);
    }

    void without_a_client_output_goes_to_the_transcript_alone() {
        Bench bench(false);
        QVERIFY(write_all(bench.slave.get(), "nobody watches", "slave"));
        bench.run_until([&] { return bench.log().size() >= 14; });
        QCOMPARE(bench.log(), std::string("nobody watches"));
    }

    void a_client_that_leaves_does_not_stop_the_session() {
        Bench bench(true);
        bench.client.reset();
        for (int i = 0; i < 20; ++i) {
            QVERIFY(write_all(bench.slave.get(), std::string(1000, 'y'), "slave"));
            bench.run_for(2ms);
        }
        bench.run_until([&] { return bench.log().size() >= 20000; });
        QCOMPARE(bench.log().size(), 20000u);
    }

    void the_transcript_ends_at_its_limit_and_says_so() {
        Bench bench(true, 100);
        QVERIFY(write_all(bench.slave.get(), std::string(250, 'z'), "slave"));
        QCOMPARE(bench.taken(250).size(), 250u);
        QVERIFY(write_all(bench.slave.get(), "more", "slave"));
        QCOMPARE(bench.taken(4), std::string("more"));
        const std::string log = bench.log();
        QVERIFY(log.starts_with(std::string(100, 'z')) && log.find("transcript ends here") != std::string::npos);
        QVERIFY(log.find("more") == std::string::npos);
    }

    void a_terminal_that_was_closed_inside_may_be_opened_again() {
        Bench bench(true);
        const std::string name = ::ttyname(bench.slave.get());
        bench.slave.reset();
        bench.run_for(120ms);
        bench.slave = UniqueFd(::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
        QVERIFY(write_all(bench.slave.get(), "again", "slave"));
        QCOMPARE(bench.taken(5), std::string("again"));
    }

    void at_the_end_what_it_still_holds_is_passed_on_and_the_stream_closed() {
        Bench bench(true);
        QVERIFY(write_all(bench.slave.get(), "last words", "slave"));
        bench.slave.reset();
        bool done = false;
        bench.terminal->drain([&] { done = true; });
        bench.run_until([&] { return done; });
        QVERIFY(done);
        QCOMPARE(bench.taken(), std::string("last words"));
        char byte = 0;
        QCOMPARE(::recv(bench.client.get(), &byte, 1, 0), 0);
    }

    void resizing_reaches_the_session() {
        Bench bench(true);
        QVERIFY(bench.terminal->resize(kFirstClient, {33, 222}));
        winsize size{};
        QCOMPARE(::ioctl(bench.slave.get(), TIOCGWINSZ, &size), 0);
        QCOMPARE(size.ws_row, 33);
        QCOMPARE(size.ws_col, 222);
    }
};

QTEST_GUILESS_MAIN(TerminalTest)
#include "terminal_test.moc"
