// core/system: files, errors that are safe to print, descriptors over sockets.
#include "core/system/descriptor_passing.h"
#include "core/system/error.h"
#include "core/system/files.h"

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace belljar;

class TestSystem : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::string at(const char* name) const { return folder_.filePath(name).toStdString(); }

private slots:
    void a_written_file_is_read_back_with_its_mode() {
        const std::string bytes("a\0b\xff", 4);
        QVERIFY(write_file(at("f"), bytes, 0640).has_value());
        QCOMPARE(*read_file(at("f")), bytes);
        struct stat st {};
        QCOMPARE(::stat(at("f").c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, mode_t(0640));
    }

    void a_file_larger_than_the_limit_is_an_error_not_cut() {
        QVERIFY(write_file(at("big"), std::string(4097, 'x')).has_value());
        QVERIFY(read_file(at("big"), 4097).has_value());
        QVERIFY(!read_file(at("big"), 4096).has_value());
        QVERIFY(!read_file("/dev/zero", 4096).has_value());
    }

    void a_fifo_in_the_place_of_a_file_does_not_hold_us_up() {
        QCOMPARE(::mkfifo(at("fifo").c_str(), 0600), 0);
        const auto read = read_file(at("fifo"));
        QVERIFY(!read && read.error().why == "not a regular file");
    }

    void a_failed_write_leaves_the_old_file_and_nothing_beside_it() {
        QVERIFY(make_folders(at("d/e")).has_value());
        QVERIFY(make_folders(at("d/e")).has_value());
        QVERIFY(!write_file(at("d/e"), "x").has_value()); // a folder stands there: rename fails
        QCOMPARE(QDir(folder_.filePath("d")).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::Hidden),
                 QStringList{"e"});
    }

    void a_missing_file_is_not_created_by_write_existing() {
        const Status written = write_existing(at("none"), "1");
        QVERIFY(!written);
        QCOMPARE(written.error().errno_value, ENOENT);
        QVERIFY(!QFile::exists(folder_.filePath("none")));
    }

    void nothing_hostile_passes_visible_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("plain") << QByteArray("a b \xc3\xa9") << QByteArray("a b \xc3\xa9");
        QTest::newRow("a line break") << QByteArray("a\nb") << QByteArray("a\\x0ab");
        QTest::newRow("an escape sequence") << QByteArray("\x1b[31m") << QByteArray("\\x1b[31m");
        QTest::newRow("a C1 control") << QByteArray("\xc2\x9b"
                                                    "31m")
                                      << QByteArray("\\xc2\\x9b31m");
        QTest::newRow("not UTF-8") << QByteArray("\xff") << QByteArray("\\xff");
        QTest::newRow("right to left") << QByteArray("\xe2\x80\xae") << QByteArray("\\xe2\\x80\\xae");
        QTest::newRow("zero width") << QByteArray("\xe2\x80\x8b") << QByteArray("\\xe2\\x80\\x8b");
    }
    void nothing_hostile_passes_visible() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(visible(text.toStdString())), shown);
    }

    void an_error_is_one_line_with_its_reason_and_what_next() {
        const Error error{"open /x\ny", "Permission denied", "ask for it", EACCES};
        QCOMPARE(error.message(), std::string("open /x\\x0ay: Permission denied; ask for it"));
    }

    void descriptors_pass_over_a_socket_and_close_on_exec() {
        auto pair = make_socketpair(SOCK_SEQPACKET);
        QVERIFY(pair.has_value());
        auto pipe = make_pipe();
        const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
        const std::array<int, 1> fds{pipe->second.get()};
        QVERIFY(send_with_fds(pair->first.get(), bytes, fds).has_value());
        std::array<std::byte, 16> into{};
        auto received = receive_with_fds(pair->second.get(), into);
        QVERIFY(received && received->bytes == 3 && received->fds.size() == 1);
        QVERIFY((::fcntl(received->fds[0].get(), F_GETFD) & FD_CLOEXEC) != 0);
        QCOMPARE(::write(received->fds[0].get(), "x", 1), ssize_t(1));
        char byte = 0;
        QCOMPARE(::read(pipe->first.get(), &byte, 1), ssize_t(1));
    }

    void a_message_that_does_not_fit_is_an_error() {
        auto pair = make_socketpair(SOCK_SEQPACKET);
        const std::array<std::byte, 8> bytes{};
        QVERIFY(send_with_fds(pair->first.get(), bytes, {}).has_value());
        std::array<std::byte, 4> into{};
        const auto received = receive_with_fds(pair->second.get(), into);
        QVERIFY(!received && received.error().errno_value == EMSGSIZE);
    }

    void a_closed_peer_is_no_bytes_on_reading_and_an_error_on_writing() {
        auto pair = make_socketpair(SOCK_STREAM);
        pair->first.reset();
        std::array<std::byte, 4> into{};
        const auto received = receive_with_fds(pair->second.get(), into);
        QVERIFY(received && received->bytes == 0);
        const Status sent = send_with_fds(pair->second.get(), into, {});
        QVERIFY(!sent && sent.error().errno_value == EPIPE);
    }
};

QTEST_GUILESS_MAIN(TestSystem)
#include "test_system.moc"
