// Reading: beside a running writer, from media that cannot be written, and what is refused in words.
#include "core/record/reader.h"

#include "tests/core/record/sample_record.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace belljar;
using namespace belljar::test;

class TestRecordReader : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    int next_ = 0;
    std::string folder() {
        const std::string path = fmt::format("{}/{} ?#%41", base_.path().toStdString(), next_++); // odd for a URI
        ::mkdir(path.c_str(), 0700);
        return path;
    }
    static std::vector<std::uint64_t> sequences(const RecordReader& reader, std::uint64_t after) {
        std::vector<std::uint64_t> out;
        const Status read =
            reader.for_each(after, [&](const StoredEvent& event) { return out.push_back(event.seq), true; });
        return read ? out : std::vector<std::uint64_t>{999};
    }

private slots:
    void a_running_record_is_followed_from_another_connection() {
        const std::string where = folder();
        auto writer = RecordWriter::create(where, kId, started());
        auto reader = RecordReader::open(where + "/record.db");
        QVERIFY2(reader.has_value(), reader ? "" : reader.error().message().c_str());
        QCOMPARE((*reader)->session_id(), std::string(kId));
        QCOMPARE((*reader)->last_sequence(), std::uint64_t(1));
        for (int round = 0; round < 2000; ++round) { // past checkpoints, with the reader staying
            QVERIFY((*writer)->append(denied(round)).has_value());
            QCOMPARE((*reader)->last_sequence(), (*writer)->last_sequence());
        }
        QCOMPARE(sequences(**reader, 1998), (std::vector<std::uint64_t>{1999, 2000, 2001}));
        QVERIFY(!(*reader)->seal());
        const auto seal = (*writer)->seal(ended());
        QVERIFY((*reader)->seal()->hash == seal->hash && (*reader)->seal()->signature == seal->signature);
        (*writer)->finish();
        QCOMPARE((*reader)->seal()->count, std::uint64_t(2002));
    }

    void a_reader_that_stays_does_not_keep_the_wal_from_being_reused() {
        const std::string where = folder();
        auto writer = RecordWriter::create(where, kId, started());
        auto reader = RecordReader::open(where + "/record.db");
        for (int i = 0; i < 5000; ++i)
            QVERIFY((*writer)->append(denied(i)).has_value());
        QVERIFY(QFileInfo(QString::fromStdString(where + "/record.db-wal")).size() < 8 << 20); // else 20 MB
        QCOMPARE(sequences(**reader, 4999).size(), std::size_t(2));
    }

    void events_come_in_order_and_stop_when_asked() {
        const std::string path = make_record(folder(), 1500, true);
        auto reader = RecordReader::open(path);
        const auto all = sequences(**reader, 0);
        QCOMPARE(all.size(), std::size_t(1500));
        QVERIFY(std::is_sorted(all.begin(), all.end()));
        int seen = 0;
        QVERIFY((*reader)->for_each(0, [&](const StoredEvent&) { return ++seen < 3; }).has_value());
        QCOMPARE(seen, 3);
        QVERIFY(sequences(**reader, 1500).empty());
        QVERIFY(sequences(**reader, UINT64_MAX).empty());
    }

    void a_folder_that_cannot_be_written_is_read_data() {
        QTest::addColumn<bool>("with_wal");
        QTest::newRow("sealed and folded") << false;
        QTest::newRow("left with its WAL") << true;
    }
    void a_folder_that_cannot_be_written_is_read() {
        QFETCH(bool, with_wal);
        const std::string where = folder(), path = where + "/record.db";
        if (with_wal) { // killed: the WAL stays, and with the shared memory gone only a reader that needs none gets at
                        // it
            const pid_t child = ::fork();
            if (child == 0) {
                auto writer = RecordWriter::create(where, kId, started());
                for (int i = 0; i < 4; ++i)
                    (void)(*writer)->append(denied(i));
                ::_exit(0);
            }
            ::waitpid(child, nullptr, 0);
            QVERIFY(QFile::remove(QString::fromStdString(path + "-shm")));
        } else {
            make_record(where, 5, true);
        }
        for (const char* name : {"", "-wal"})
            ::chmod((path + name).c_str(), 0444);
        ::chmod(where.c_str(), 0555);
        ::chmod(base_.path().toLocal8Bit(), 0755);
        const auto before = QDir(QString::fromStdString(where)).entryList(QDir::Files);
        const pid_t child = ::fork();
        if (child == 0) { // root may write anywhere: become nobody
            if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(9);
            auto reader = RecordReader::open(path);
            if (!reader) ::_exit(1);
            if (sequences(**reader, 0) != std::vector<std::uint64_t>{1, 2, 3, 4, 5}) ::_exit(2);
            const auto report = verify_record(path);
            ::_exit(report.exit_status() == (with_wal ? 2 : 0) && report.events == 5 ? 0 : 3);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        ::chmod(where.c_str(), 0755);
        QCOMPARE(WEXITSTATUS(status), 0);
        QCOMPARE(QDir(QString::fromStdString(where)).entryList(QDir::Files), before);
    }

    void reading_a_dead_record_changes_nothing() {
        const std::string where = folder(), path = where + "/record.db";
        const pid_t child = ::fork();
        if (child == 0) {
            auto writer = RecordWriter::create(where, kId, started());
            for (int i = 0; i < 4; ++i)
                (void)(*writer)->append(denied(i));
            ::_exit(0);
        }
        ::waitpid(child, nullptr, 0);
        const auto bytes = [&](const char* name) {
            QFile file(QString::fromStdString(path + name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray main = bytes(""), wal = bytes("-wal");
        QVERIFY(!wal.isEmpty());
        QCOMPARE(sequences(**RecordReader::open(path), 0).size(), std::size_t(5));
        QCOMPARE(verify_record(path).exit_status(), 2);
        QCOMPARE(bytes(""), main);
        QCOMPARE(bytes("-wal"), wal);
    }

    void reading_a_sealed_record_leaves_nothing_beside_it() {
        const std::string where = folder(), path = make_record(where, 5, true);
        QCOMPARE(sequences(**RecordReader::open(path), 0).size(), std::size_t(5));
        QCOMPARE(verify_record(path).exit_status(), 0);
        QCOMPARE(QDir(QString::fromStdString(where)).entryList(QDir::Files), QStringList{"record.db"});
    }

    void what_is_no_record_is_refused_in_words_data() {
        QTest::addColumn<QString>("make");
        QTest::addColumn<QString>("says");
        QTest::addColumn<int>("status");
        QTest::newRow("missing") << "missing"
                                 << "No such file" << 3;
        QTest::newRow("empty") << "empty"
                               << "empty" << 1;
        QTest::newRow("a text") << "text"
                                << "not an SQLite database" << 3;
        QTest::newRow("a folder") << "folder"
                                  << "not a regular file" << 3;
        QTest::newRow("a FIFO") << "fifo"
                                << "not a regular file" << 3;
        QTest::newRow("another program's database") << "foreign"
                                                    << "no record of Belljar" << 3;
        QTest::newRow("a newer format") << "newer"
                                        << "newer Belljar (format 2)" << 3;
        QTest::newRow("format 0") << "older"
                                  << "never was a format 0" << 1;
        QTest::newRow("cut short") << "cut"
                                   << "damaged or cut short" << 1;
    }
    void what_is_no_record_is_refused_in_words() {
        QFETCH(QString, make);
        QFETCH(QString, says);
        QFETCH(int, status);
        const std::string path = make_record(folder(), 100, true);
        const QString name = QString::fromStdString(path);
        if (make == "newer")
            tamper(path, "PRAGMA user_version=2;");
        else if (make == "older")
            tamper(path, "PRAGMA user_version=0;");
        else if (make == "foreign")
            tamper(path, "PRAGMA application_id=0;");
        else if (make == "cut")
            QVERIFY(QFile::resize(name, QFileInfo(name).size() / 2));
        else
            QVERIFY(QFile::remove(name));
        if (make == "folder") ::mkdir(path.c_str(), 0700);
        if (make == "fifo") ::mkfifo(path.c_str(), 0600);
        if (make == "empty" || make == "text") {
            QFile file(name);
            QVERIFY(file.open(QIODevice::WriteOnly));
            if (make == "text") file.write(QByteArray(5000, 'x'));
        }
        const auto reader = RecordReader::open(path);
        QVERIFY(!reader);
        QVERIFY2(QString::fromStdString(reader.error().message()).contains(says), reader.error().message().c_str());
        QCOMPARE(verify_record(path).exit_status(), status);
    }

    void an_event_that_is_no_json_is_shown_as_damaged() {
        const std::string path = make_record(folder(), 4, false);
        edit_rows(path, "UPDATE event SET bytes='{oops' WHERE seq=3;");
        auto reader = RecordReader::open(path);
        std::vector<std::string> kinds;
        QVERIFY(
            (*reader)
                ->for_each(0, [&](const StoredEvent& event) { return kinds.push_back(event.parsed()["kind"]), true; })
                .has_value());
        QCOMPARE(kinds, (std::vector<std::string>{"session-started", "egress", "damaged", "egress"}));
    }

    void the_columns_follow_the_bytes() {
        const std::string path = make_record(folder(), 3, true);
        SQLite::Database database(path, SQLite::OPEN_READWRITE);
        SQLite::Statement row(database, "SELECT kind,verdict,host,port,pid,exe,count FROM event WHERE seq=2");
        QVERIFY(row.executeStep());
        QCOMPARE(row.getColumn(0).getString() + row.getColumn(1).getString() + row.getColumn(2).getString(),
                 std::string("egressdeniedgist.example.net"));
        QCOMPARE(row.getColumn(3).getInt(), 443);
        QCOMPARE(row.getColumn(6).getInt(), 1);
        QVERIFY_EXCEPTION_THROWN(database.exec("UPDATE event SET host='other.example.net'"), SQLite::Exception);
    }
};

QTEST_GUILESS_MAIN(TestRecordReader)
#include "test_record_reader.moc"
