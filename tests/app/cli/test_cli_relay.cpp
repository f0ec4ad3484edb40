// The relay of one stream: whole, in order, ending when it should, and blocking for nobody.
#include "app/cli/relay.h"
#include "core/system/descriptor_passing.h"

#include <QtTest>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace belljar;
using namespace belljar::cli;

class TestRelay : public QObject {
    Q_OBJECT

    static std::string pattern(std::size_t size) {
        std::string text(size, '\0');
        for (std::size_t i = 0; i < size; ++i)
            text[i] = static_cast<char>((i * 2654435761u) >> 13);
        return text;
    }
    // As the foreground loop drives it; false when it did not finish in time.
    static bool run(Relay& relay, int milliseconds = 10000) {
        QElapsedTimer time;
        time.start();
        while (!relay.finished() && time.elapsed() < milliseconds) {
            pollfd fds[2];
            relay.want(fds[0], fds[1]);
            if (::poll(fds, 2, 50) > 0) relay.step(fds[0], fds[1]);
        }
        return relay.finished();
    }
    static std::string drain(int fd) {
        std::string all;
        char buffer[65536];
        for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
            all.append(buffer, static_cast<std::size_t>(n));
        return all;
    }
    static void fill(UniqueFd fd, const std::string& bytes) {
        std::size_t sent = 0;
        while (sent < bytes.size()) {
            const ssize_t n = ::write(fd.get(), bytes.data() + sent, bytes.size() - sent);
            if (n <= 0) return;
            sent += static_cast<std::size_t>(n);
        }
    }
    static std::pair<UniqueFd, UniqueFd> pair_of(const QString& kind) {
        return kind == "socket" ? make_socketpair(SOCK_STREAM).value() : make_pipe().value();
    }

private slots:
    void initTestCase() { ::signal(SIGPIPE, SIG_IGN); }

    void every_byte_arrives_in_order_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        for (const char* from : {"pipe", "socket", "file"})
            for (const char* to : {"pipe", "socket", "file", "appended file"})
                QTest::addRow("%s to %s", from, to) << from << to;
    }
    void every_byte_arrives_in_order() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const std::string bytes = pattern(3'000'001);
        QTemporaryDir folder;
        std::jthread writer, reader;
        std::string arrived;
        UniqueFd source, sink;
        if (from == "file") {
            QFile file(folder.filePath("in"));
            QVERIFY(file.open(QIODevice::WriteOnly) &&
                    file.write(bytes.data(), static_cast<qint64>(bytes.size())) == static_cast<qint64>(bytes.size()));
            file.close();
            source.reset(::open(file.fileName().toUtf8().constData(), O_RDONLY | O_CLOEXEC));
        } else {
            auto ends = pair_of(from);
            source = std::move(ends.first);
            writer = std::jthread([end = std::move(ends.second), &bytes]() mutable { fill(std::move(end), bytes); });
        }
        const QString target = folder.filePath("out");
        const bool into_file = to.endsWith("file");
        if (into_file) {
            const int append = to == "file" ? 0 : O_APPEND;
            sink.reset(::open(target.toUtf8().constData(), O_WRONLY | O_CREAT | append | O_CLOEXEC, 0600));
        } else {
            auto ends = pair_of(to);
            sink = std::move(ends.second);
            reader = std::jthread([end = std::move(ends.first), &arrived] { arrived = drain(end.get()); });
        }
        // One end of a relay is always ours: the target here, unless it is a file.
        Relay relay(into_file ? Channel::owned(std::move(source)) : Channel::borrowed(source.get()),
                    into_file ? Channel::borrowed(sink.get()) : Channel::owned(std::move(sink)));
        QVERIFY(run(relay));
        if (writer.joinable()) writer.join();
        if (reader.joinable()) reader.join();
        if (into_file) {
            QFile file(target);
            QVERIFY(file.open(QIODevice::ReadOnly));
            arrived = file.readAll().toStdString();
        }
        QVERIFY(arrived == bytes);
        QCOMPARE(relay.moved(), std::uint64_t(bytes.size()));
    }

    void the_flags_of_the_user_s_descriptor_stay_as_they_were() {
        auto user = make_pipe().value();
        auto session = make_pipe().value();
        const int before = ::fcntl(user.second.get(), F_GETFL);
        fill(std::move(session.second), "text");
        Relay relay(Channel::owned(std::move(session.first)), Channel::borrowed(user.second.get()));
        QVERIFY(run(relay));
        QCOMPARE(::fcntl(user.second.get(), F_GETFL), before);
        QVERIFY(before >= 0 && ::fcntl(user.second.get(), F_GETFD) >= 0); // and it is still open
    }

    void a_reader_that_does_not_read_holds_up_nobody() {
        auto user = make_pipe().value();
        auto session = make_pipe().value();
        std::jthread writer(
            [end = std::move(session.second)]() mutable { fill(std::move(end), std::string(1 << 20, 'x')); });
        Relay relay(Channel::owned(std::move(session.first)), Channel::borrowed(user.second.get()));
        QElapsedTimer time;
        time.start();
        QVERIFY(!run(relay, 300));
        QVERIFY2(time.elapsed() < 2000, "a transfer blocked");
        QVERIFY(!relay.waits_for_source());
        relay.finish(); // the writer gets EPIPE
    }

    void a_reader_that_goes_away_ends_the_stream_while_nothing_flows() {
        auto user = make_pipe().value();
        auto session = make_pipe().value();
        Relay relay(Channel::owned(std::move(session.first)), Channel::borrowed(user.second.get()));
        user.first.reset();
        QVERIFY(run(relay));
        errno = 0;
        QCOMPARE(::write(session.second.get(), "x", 1), ssize_t(-1)); // the program inside sees it
        QCOMPARE(errno, EPIPE);
    }

    void the_end_of_the_input_is_passed_on() {
        auto user = make_pipe().value();
        auto session = make_pipe().value();
        Relay relay(Channel::borrowed(user.first.get()), Channel::owned(std::move(session.second)));
        fill(std::move(user.second), "last words");
        QVERIFY(run(relay));
        QCOMPARE(drain(session.first.get()), std::string("last words"));
    }

    void an_end_of_file_can_be_a_key_instead() {
        auto user = make_pipe().value();
        auto session = make_socketpair(SOCK_STREAM).value();
        Relay relay(Channel::borrowed(user.first.get()), Channel::owned(std::move(session.first)));
        relay.at_end_send("\x04");
        user.second.reset();
        pollfd fds[2];
        relay.want(fds[0], fds[1]);
        QCOMPARE(::poll(fds, 2, 1000), 1);
        relay.step(fds[0], fds[1]);
        char key = 0;
        QCOMPARE(::recv(session.second.get(), &key, 1, MSG_DONTWAIT), ssize_t(1));
        QCOMPARE(key, '\x04');
        QVERIFY(!relay.finished());
    }

    void what_may_not_be_read_stays_where_it_is() {
        auto user = make_pipe().value();
        auto session = make_pipe().value();
        bool may = false;
        Relay relay(Channel::borrowed(user.first.get()), Channel::owned(std::move(session.second)),
                    [&may] { return may; });
        fill(std::move(user.second), "keys");
        QVERIFY(!run(relay, 200));
        QVERIFY(relay.held());
        QCOMPARE(relay.moved(), std::uint64_t(0));
        may = true;
        QVERIFY(run(relay));
        QCOMPARE(drain(session.first.get()), std::string("keys"));
    }

    void one_turn_is_bounded() {
        const UniqueFd sink(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        auto pair = make_pipe().value();
        std::jthread writer(
            [end = std::move(pair.second)]() mutable { fill(std::move(end), std::string(32 << 20, 'x')); });
        Relay relay(Channel::owned(std::move(pair.first)), Channel::borrowed(sink.get()));
        pollfd fds[2];
        relay.want(fds[0], fds[1]);
        QVERIFY(::poll(fds, 2, 1000) > 0);
        relay.step(fds[0], fds[1]);
        QVERIFY(relay.moved() <= (5u << 20));
        relay.finish();
    }
};
QTEST_GUILESS_MAIN(TestRelay)
#include "test_cli_relay.moc"
