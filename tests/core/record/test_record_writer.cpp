// Writing: what is committed stays, what fails leaves nothing behind, after the seal there is no more.
#include "core/record/chain.h"
#include "core/record/event_bytes.h"
#include "core/record/reader.h"
#include "tests/core/record/sample_record.h"

#include <csignal>
#include <sodium.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Stand before those of libc for SQLite as well.
static int syncs_seen = 0;
extern "C" int fsync(int) {
    return ++syncs_seen, 0;
}
extern "C" int fdatasync(int) {
    return ++syncs_seen, 0;
}

using namespace belljar;
using namespace belljar::test;

class TestRecordWriter : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    int next_ = 0;
    std::string folder() {
        const std::string path = fmt::format("{}/{}", base_.path().toStdString(), next_++);
        ::mkdir(path.c_str(), 0700);
        return path;
    }

private slots:
    void an_event_is_stored_as_its_json_bytes() {
        const std::string where = folder();
        auto writer = RecordWriter::create(where, kId, started());
        QVERIFY(writer.has_value());
        QCOMPARE((*writer)->append(denied(7)).value(), std::uint64_t(2));
        auto reader = RecordReader::open(where + "/record.db");
        QVERIFY2(reader.has_value(), reader ? "" : reader.error().message().c_str());
        std::vector<std::string> lines;
        QVERIFY((*reader)
                    ->for_each(0,
                               [&](const StoredEvent& event) {
                                   lines.push_back(event.bytes);
                                   return true;
                               })
                    .has_value());
        QCOMPARE(lines.size(), std::size_t(2));
        QCOMPARE(lines[0], "{\"seq\":1,\"time\":\"2030-03-17T17:46:40.000000Z\",\"kind\":\"session-started\",\"id\":"
                           "\"0123456789ab\",\"name\":\"sample\","
                           "\"argv\":[\"bash\",\"-c\",\"echo "
                           "it's\"],\"workspace\":\"/home/u/w\",\"policy\":{\"name\":\"default\",\"sha256\":\"" +
                               std::string(64, 'a') + "\"},\"public_key\":\"" + (*writer)->public_key() + "\"}");
        QCOMPARE(
            lines[1],
            std::string(
                "{\"seq\":2,\"time\":\"2030-03-17T17:46:41.000007Z\",\"kind\":\"egress\",\"conn\":7,\"verdict\":"
                "\"denied\","
                "\"host\":\"gist.example.net\",\"ip\":\"192.0.2.7\",\"port\":443,\"proto\":\"tcp\",\"pid\":14,\"exe\":"
                "\"/usr/bin/curl\","
                "\"argv\":[\"curl\",\"https://gist.example.net\"],\"rule\":\"\",\"reason\":\"no rule allows it\"}"));
    }

    void the_hash_is_what_the_documentation_says() {
        // Computed by the lines of Python in docs/record.md.
        Hash previous{};
        const Hash first = event_hash("0123456789ab", 1, previous, "{}");
        QCOMPARE(to_hex(first), std::string("9239b4a540948ca0549e8b32e35578da097f1efc2769fd48ea8fcce660479f8f"));
        QCOMPARE(to_hex(event_hash("0123456789ab", 2, first, "{\"a\":1}")),
                 std::string("c931802d7e5cbb6de867d7dc922b1b0a0ab8c5d59c590d89832c4ef784685807"));
    }

    void no_two_events_encode_alike() {
        const Hash none{};
        QVERIFY(event_hash("a", 1, none, "bc") != event_hash("ab", 1, none, "c"));
        QVERIFY(event_hash("a", 1, none, "") != event_hash("a", 2, none, ""));
    }

    void times_survive_as_text_data() {
        QTest::addColumn<qint64>("us");
        QTest::addColumn<QString>("text");
        QTest::newRow("the epoch") << qint64(0) << "1970-01-01T00:00:00.000000Z";
        QTest::newRow("one microsecond before") << qint64(-1) << "1969-12-31T23:59:59.999999Z";
        QTest::newRow("a leap day") << qint64(1709210096123456) << "2024-02-29T12:34:56.123456Z";
    }
    void times_survive_as_text() {
        QFETCH(qint64, us);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(format_time(us)), text);
        QCOMPARE(parse_time(text.toStdString()).value(), std::int64_t(us));
    }

    void the_files_are_for_their_owner_only() {
        const std::string where = folder();
        const auto old = ::umask(0);
        auto writer = RecordWriter::create(where, kId, started());
        ::umask(old);
        for (const char* name : {"/record.db", "/record.db-wal", "/record.db-shm"}) {
            struct stat st {};
            QCOMPARE(::stat((where + name).c_str(), &st), 0);
            QCOMPARE(st.st_mode & 0777, mode_t(0600));
        }
    }

    void one_that_is_prepared_and_never_begins_leaves_nothing() {
        const std::string where = folder();
        for (int i = 0; i < 2; ++i) {
            auto writer = RecordWriter::prepare(where, kId);
            QVERIFY(writer && (*writer)->last_sequence() == 0 && !(*writer)->public_key().empty());
        }
        QCOMPARE(QDir(QString::fromStdString(where)).entryList(QDir::Files), QStringList());
    }

    void one_that_is_prepared_begins_once() {
        const std::string where = folder();
        {
            auto writer = *RecordWriter::prepare(where, kId);
            QVERIFY(writer->begin(started()).has_value());
            QVERIFY(!writer->begin(started()).has_value());
        }
        QCOMPARE(verify_record(where + "/record.db").state, RecordState::Unsealed);
    }

    void an_existing_record_is_not_touched() {
        const std::string where = folder();
        make_record(where, 3, true);
        QVERIFY(!RecordWriter::create(where, kId, started()));
        QVERIFY(verify_record(where + "/record.db").state == RecordState::Sealed);
    }

    void odd_events_are_refused_and_leave_nothing_data() {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("fields");
        QTest::newRow("a kind that is no word") << QByteArray("Egress!") << QByteArray("{}");
        QTest::newRow("an empty kind") << QByteArray() << QByteArray("{}");
        QTest::newRow("fields that are a list") << QByteArray("egress") << QByteArray("[1]");
        QTest::newRow("a field called seq") << QByteArray("egress") << QByteArray("{\"seq\":9}");
        QTest::newRow("a field called kind") << QByteArray("egress") << QByteArray("{\"kind\":\"dns\"}");
        QTest::newRow("more than a mebibyte")
            << QByteArray("egress") << QByteArray("{\"a\":\"") + QByteArray(1 << 20, 'x') + "\"}";
    }
    void odd_events_are_refused_and_leave_nothing() {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, fields);
        const std::string where = folder();
        auto writer = RecordWriter::create(where, kId, started());
        const std::vector<NewEvent> batch{denied(1), {kind.toStdString(), Json::parse(fields.toStdString())}};
        QVERIFY(!(*writer)->append(batch));
        QCOMPARE((*writer)->last_sequence(), std::uint64_t(1));
        QVERIFY((*writer)->append(denied(2)).has_value());
        const auto report = verify_record(where + "/record.db");
        QVERIFY2(report.state == RecordState::Unsealed, report.fault.c_str());
        QCOMPARE(report.events, std::uint64_t(2));
    }

    void text_that_is_not_utf8_is_refused() {
        auto writer = RecordWriter::create(folder(), kId, started());
        QVERIFY(!(*writer)->append({"egress", {{"host", "\xff"}}}));
    }

    void after_the_seal_nothing_is_appended() {
        const std::string where = folder();
        auto writer = RecordWriter::create(where, kId, started());
        const auto seal = (*writer)->seal(ended(3));
        QVERIFY(seal.has_value());
        QCOMPARE(seal->count, std::uint64_t(2));
        QVERIFY(!(*writer)->append(denied(1)));
        QVERIFY(!(*writer)->seal(ended()));
        (*writer)->finish();
        QVERIFY(!(*writer)->append(denied(1)));
        (*writer)->finish();
        QVERIFY(!QFile::exists(QString::fromStdString(where + "/record.db-wal")));
        QVERIFY(verify_record(where + "/record.db").state == RecordState::Sealed);
    }

    void what_is_committed_survives_kill_9() {
        const std::string where = folder();
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const int read_end = ends[0], write_end = ends[1];
        const pid_t child = ::fork();
        if (child == 0) {
            auto writer = RecordWriter::create(where, kId, started());
            for (int i = 0;; ++i) {
                const auto added = (*writer)->append(denied(i));
                const std::uint64_t last = added ? *added : 0;
                if (::write(write_end, &last, sizeof last) != sizeof last) ::_exit(1);
            }
        }
        ::close(write_end);
        std::uint64_t acknowledged = 0, number = 0;
        while (acknowledged < 3000 && ::read(read_end, &number, sizeof number) == sizeof number)
            acknowledged = number;
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        while (::read(read_end, &number, sizeof number) == sizeof number)
            acknowledged = number;
        ::close(read_end);
        const auto report = verify_record(where + "/record.db");
        QVERIFY2(report.state == RecordState::Unsealed, report.fault.c_str());
        QVERIFY(acknowledged >= 3000);
        QVERIFY2(report.events >= acknowledged && report.events <= acknowledged + 1,
                 fmt::format("{} of {}", report.events, acknowledged).c_str());
    }

    void a_write_that_fails_leaves_nothing_of_its_batch() {
        const std::string where = folder();
        const pid_t child = ::fork();
        if (child == 0) {
            ::signal(SIGXFSZ, SIG_IGN);
            auto writer = RecordWriter::create(where, kId, started());
            const rlimit limit{256 * 1024, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            std::vector<NewEvent> batch(5, denied(1));
            std::uint64_t last = (*writer)->last_sequence();
            bool failed = false;
            for (int i = 0; i < 1000; ++i) {
                const auto added = (*writer)->append(batch);
                if (!added) {
                    failed = true;
                    if ((*writer)->last_sequence() != last) ::_exit(2);
                    continue;
                }
                last = *added;
            }
            if (!failed || last % 5 != 1) ::_exit(3);
            if ((*writer)->seal(ended())) ::_exit(4); // there is no room for it
            const rlimit free{RLIM_INFINITY, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &free);
            const auto after = (*writer)->append(batch); // and with room again it goes on where it was
            if (!after || *after != last + 5) ::_exit(5);
            ::_exit((*writer)->seal(ended()) ? 0 : 6);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        const auto report = verify_record(where + "/record.db");
        QVERIFY2(report.state == RecordState::Sealed, report.fault.c_str());
        QCOMPARE(report.events % 5, std::uint64_t(2));
    }

    void nothing_is_synced_while_the_session_runs() {
        syncs_seen = 0;
        auto writer = RecordWriter::create(folder(), kId, started());
        for (int i = 0; i < 3000; ++i)
            QVERIFY((*writer)->append(denied(i)).has_value()); // past two checkpoints
        QVERIFY((*writer)->seal(ended()).has_value());
        QCOMPARE(syncs_seen, 0);
        (*writer)->finish();
        QVERIFY(syncs_seen > 0);
    }
};

QTEST_GUILESS_MAIN(TestRecordWriter)
#include "test_record_writer.moc"
