// The mutation battery (PROBES, Record 06): every edit of a finished record is found, and its place named; and what an
// unanchored record cannot prove is written down as a test too.
#include "core/record/chain.h"
#include "core/record/event_bytes.h"
#include "core/record/reader.h"
#include "core/record/schema.h"
#include "tests/core/record/sample_record.h"

#include <fstream>
#include <sodium.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// The disk is not what is tested here: hundreds of records are made and edited.
extern "C" int fsync(int) {
    return 0;
}
extern "C" int fdatasync(int) {
    return 0;
}

#ifdef __SANITIZE_ADDRESS__ // what is freed would be kept for a while, and counted where memory is measured
extern "C" const char* __asan_default_options() {
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
}
#endif

using namespace belljar;
using namespace belljar::test;

namespace {

constexpr int kEvents = 60; // several pages

// Someone who knows the format: rewrites the chain from `first` on, so that every hash fits its bytes again.
void rehash(SQLite::Database& database, const std::string& session = kId) {
    std::vector<std::pair<std::int64_t, std::string>> events;
    SQLite::Statement all(database, "SELECT seq,bytes FROM event ORDER BY seq");
    while (all.executeStep())
        events.emplace_back(all.getColumn(0).getInt64(), all.getColumn(1).getString());
    Hash head{};
    for (const auto& [sequence, bytes] : events) {
        head = event_hash(session, static_cast<std::uint64_t>(sequence), head, bytes);
        SQLite::Statement put(database, "UPDATE event SET hash=? WHERE seq=?");
        put.bind(1, head.data(), static_cast<int>(head.size()));
        put.bind(2, sequence);
        put.exec();
    }
}

// … and signs it with a key of their own, which they also put into event 1.
void resign(SQLite::Database& database, bool replace_key) {
    PublicKey key{};
    std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secret{};
    crypto_sign_keypair(key.data(), secret.data());
    if (replace_key) {
        SQLite::Statement put(database, "UPDATE event SET bytes=replace(bytes,(SELECT bytes->>'$.public_key' FROM "
                                        "event WHERE seq=1),?) WHERE seq IN (60,1)");
        put.bind(1, to_hex(key));
        put.exec();
        rehash(database);
    }
    SQLite::Statement last(database, "SELECT seq,hash FROM event ORDER BY seq DESC LIMIT 1");
    last.executeStep();
    const std::int64_t count = last.getColumn(0).getInt64();
    Hash head{};
    std::memcpy(head.data(), last.getColumn(1).getBlob(), head.size());
    last.reset();
    const std::string message = seal_message(kId, static_cast<std::uint64_t>(count), head);
    Signature signature{};
    crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(message.data()),
                         message.size(), secret.data());
    SQLite::Statement put(database, "INSERT OR REPLACE INTO seal(one,count,hash,signature) VALUES(1,?,?,?)");
    put.bind(1, count);
    put.bind(2, head.data(), static_cast<int>(head.size()));
    put.bind(3, signature.data(), static_cast<int>(signature.size()));
    put.exec();
}

QByteArray read_bytes(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}
void write_bytes(const std::string& path,
                 const QByteArray& bytes) { // in place: replacing a file makes ext4 write it out
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadWrite) || file.write(bytes) != bytes.size() || !file.resize(bytes.size()))
        qFatal("cannot write %s", path.c_str());
}

enum class At { Rows, Schema };
struct Mutation {
    const char* name;
    At at;
    const char* sql;
    std::uint64_t broken_at;
    const char* says;
    bool rehashed = false; // by someone who also rewrites the chain
};

const Mutation kMutations[] = {
    {"a letter of an event is changed", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'denied','DENIED') WHERE seq=20", 20, "its hash does not match"},
    {"a verdict is turned around", At::Rows, "UPDATE event SET bytes=replace(bytes,'denied','allowed') WHERE seq=20",
     20, "its hash does not match"},
    {"a hash is changed", At::Rows, "UPDATE event SET hash=randomblob(32) WHERE seq=20", 20, "its hash does not match"},
    {"a hash is cut", At::Rows, "UPDATE event SET hash=substr(hash,1,31) WHERE seq=20", 20, "its hash is not 32 bytes"},
    {"a hash becomes text", At::Rows, "UPDATE event SET hash=hex(hash) WHERE seq=20", 20, "its hash is not 32 bytes"},
    {"bytes become a blob", At::Rows, "UPDATE event SET bytes=CAST(bytes AS BLOB) WHERE seq=20", 20,
     "its bytes are no text"},
    {"bytes become nothing", At::Rows, "UPDATE event SET bytes=NULL WHERE seq=20", 20, "its bytes are no text"},
    {"bytes are followed by a NUL and more", At::Rows, "UPDATE event SET bytes=bytes||char(0)||'x' WHERE seq=20", 20,
     "its hash does not match"},
    {"two events change places", At::Rows,
     "UPDATE event SET seq=-1 WHERE seq=20; UPDATE event SET seq=20 WHERE seq=21; UPDATE event SET seq=21 WHERE seq=-1",
     20, "its hash does not match"},
    {"one event is deleted", At::Rows, "DELETE FROM event WHERE seq=20", 20, "missing; the next one there is event 21"},
    {"several are deleted", At::Rows, "DELETE FROM event WHERE seq BETWEEN 20 AND 30", 20,
     "missing; the next one there is event 31"},
    {"one is deleted and the rest moved up", At::Rows,
     "DELETE FROM event WHERE seq=20; UPDATE event SET seq=seq-1 WHERE seq>20", 20, "its hash does not match"},
    {"the first is deleted", At::Rows, "DELETE FROM event WHERE seq=1", 1, "missing; the next one there is event 2"},
    {"all are deleted", At::Rows, "DELETE FROM event", 1, "holds no events"},
    {"all are deleted, the seal too", At::Rows, "DELETE FROM event; DELETE FROM seal", 1, "holds no events"},
    {"the last is deleted", At::Rows, "DELETE FROM event WHERE seq=60", 60, "missing: the seal covers 60 events"},
    {"the last ten are deleted", At::Rows, "DELETE FROM event WHERE seq>50", 51, "missing: the seal covers 60 events"},
    {"the tail is deleted and the seal's count with it", At::Rows,
     "DELETE FROM event WHERE seq>50; UPDATE seal SET count=50", 50, "does not end the session"},
    {"the seal is deleted", At::Rows, "DELETE FROM seal", 60, "the seal that was written with it is missing"},
    {"the seal's count is raised", At::Rows, "UPDATE seal SET count=61", 61, "missing: the seal covers 61 events"},
    {"the seal's count is no number", At::Rows, "UPDATE seal SET count=-1", 0, "the seal is no seal"},
    {"the seal's hash is another's", At::Rows, "UPDATE seal SET hash=(SELECT hash FROM event WHERE seq=59)", 60,
     "not the one that was sealed"},
    {"the signature is changed", At::Rows, "UPDATE seal SET signature=randomblob(64)", 60,
     "not made with the key of event 1"},
    {"the signature is cut", At::Rows, "UPDATE seal SET signature=substr(signature,1,63)", 0, "the seal is no seal"},
    {"an event is added after the seal", At::Rows,
     "INSERT INTO event VALUES(61,(SELECT bytes FROM event WHERE seq=20),randomblob(32))", 61,
     "its hash does not match"},
    {"an event is added before the first", At::Rows, "INSERT INTO event VALUES(0,'{}',randomblob(32))", 1,
     "a number out of order"},
    {"an event with a negative number is added", At::Rows, "INSERT INTO event VALUES(-7,'{}',randomblob(32))", 1,
     "a number out of order, -7"},
    {"an event is doubled", At::Rows,
     "UPDATE event SET bytes=(SELECT bytes FROM event WHERE seq=19), hash=(SELECT hash FROM event WHERE seq=19) WHERE "
     "seq=20",
     20, "its hash does not match"},
    {"the session is renamed in event 1", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'0123456789ab','ba9876543210') WHERE seq=1", 1, "its hash does not match"},
    {"the key is replaced in event 1", At::Rows,
     "UPDATE event SET bytes=replace(bytes,bytes->>'$.public_key',lower(hex(zeroblob(32)))) WHERE seq=1", 1,
     "its hash does not match"},
    {"the key is taken out of event 1", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'public_key','publik_key') WHERE seq=1", 1, "it holds no public key"},

    {"rehashed: a verdict is turned around", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'denied','allowed') WHERE seq=20", 60, "not the one that was sealed", true},
    {"rehashed: a member twice", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"verdict\":\"denied\"','\"verdict\":\"allowed\",\"verdict\":\"denied\"') "
     "WHERE seq=20",
     20, "not canonical JSON", true},
    {"rehashed: a blank in the JSON", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"port\":443','\"port\": 443') WHERE seq=20", 20, "not canonical JSON",
     true},
    {"rehashed: a number written otherwise", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"port\":443','\"port\":4.43e2') WHERE seq=20", 20, "not canonical JSON",
     true},
    {"rehashed: a letter escaped without need", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'denied','\\u0064enied') WHERE seq=20", 20, "not canonical JSON", true},
    {"rehashed: no JSON at all", At::Rows, "UPDATE event SET bytes='{oops' WHERE seq=20", 20, "no JSON object", true},
    {"rehashed: a list", At::Rows, "UPDATE event SET bytes='[1]' WHERE seq=20", 20, "no JSON object", true},
    {"rehashed: a hundred thousand brackets", At::Rows,
     "UPDATE event SET bytes='{\"seq\":'||replace(hex(zeroblob(50000)),'00','[[')||'}' WHERE seq=20", 20,
     "no JSON object", true},
    {"rehashed: another number in the bytes", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"seq\":20','\"seq\":19') WHERE seq=20", 20, "carry another number", true},
    {"rehashed: no number in the bytes", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"seq\":20','\"sec\":20') WHERE seq=20", 20, "carry another number", true},
    {"rehashed: a day that does not exist", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'2030-03-17','2030-02-30') WHERE seq=20", 20, "its time is not RFC 3339",
     true},
    {"rehashed: a kind that is no word", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"egress\"','\"Egress\"') WHERE seq=20", 20, "its kind", true},
    {"rehashed: a second start", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"egress\"','\"session-started\"') WHERE seq=20", 20,
     "an event of kind session-started cannot stand here", true},
    {"rehashed: an end in the middle", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'\"egress\"','\"session-ended\"') WHERE seq=20", 21,
     "it stands after event 20, which ended the session", true},
    {"rehashed: added after the seal", At::Rows,
     "INSERT INTO event VALUES(61,replace((SELECT bytes FROM event WHERE seq=20),'\"seq\":20','\"seq\":61'),x'00')", 61,
     "it stands after event 60", true},
    {"rehashed: the start is no start", At::Rows,
     "UPDATE event SET bytes=replace(bytes,'session-started','egress') WHERE seq=1", 1,
     "an event of kind egress cannot stand here", true},

    {"a column is computed otherwise", At::Schema,
     "UPDATE sqlite_schema SET sql=replace(sql,'$.host','$.ip') WHERE name='event'", 0,
     "table event is defined differently"},
    {"a column becomes a constant", At::Schema,
     "UPDATE sqlite_schema SET sql=replace(sql,'(bytes->>''$.verdict'')','(''allowed'')') WHERE name='event'", 0,
     "table event is defined differently"},
    {"the table is no longer strict", At::Schema,
     "UPDATE sqlite_schema SET sql=replace(sql,') STRICT',')') WHERE name='event'", 0,
     "table event is defined differently"},
    {"a blank in the schema", At::Schema, "UPDATE sqlite_schema SET sql=sql||' ' WHERE name='seal'", 0,
     "table seal is defined differently"},
    {"a trigger is added", At::Schema,
     "CREATE TRIGGER hide AFTER INSERT ON event BEGIN DELETE FROM event WHERE seq=20; END", 0,
     "trigger hide was added"},
    {"a view is added", At::Schema, "CREATE VIEW allowed AS SELECT * FROM event", 0, "view allowed was added"},
    {"a table is added", At::Schema, "CREATE TABLE extra(a)", 0, "table extra was added"},
    {"an index is added", At::Schema, "CREATE INDEX fast ON event(kind)", 0, "index fast was added"},
    {"statistics are added", At::Schema, "ANALYZE", 0, "its schema was changed"},
    {"the table becomes a view", At::Schema,
     "ALTER TABLE event RENAME TO hidden; CREATE VIEW event AS SELECT * FROM hidden WHERE seq<>20", 0,
     "its schema was changed"},
    {"the seal's table is dropped", At::Schema, "DROP TABLE seal", 0, "there is no table seal"},
    {"a table takes the other's rows", At::Schema,
     "UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema WHERE name='seal') WHERE name='event'", 1,
     ""},
};

} // namespace

class TestRecordVerify : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    int next_ = 0;
    std::string sample(bool sealed = true, const std::string& id = kId) {
        return make_record(fmt::format("{}/{}", base_.path().toStdString(), next_++), kEvents, sealed, id);
    }

private slots:
    void initTestCase() { QVERIFY(sodium_init() >= 0); }

    void an_untouched_record_is_whole() {
        const auto sealed = verify_record(sample());
        QVERIFY2(sealed.state == RecordState::Sealed, sealed.fault.c_str());
        QCOMPARE(sealed.exit_status(), 0);
        QCOMPARE(sealed.events, std::uint64_t(kEvents));
        QCOMPARE(sealed.session_id, std::string(kId));
        QCOMPARE(sealed.public_key.size(), std::size_t(64));
        QCOMPARE(sealed.head_hash.size(), std::size_t(64));
        QVERIFY(sealed.fault.empty() && sealed.broken_at == 0);
        const auto unsealed = verify_record(sample(false), kId);
        QCOMPARE(unsealed.exit_status(), 2);
        QCOMPARE(unsealed.events, std::uint64_t(kEvents));
    }

    void each_mutation_is_found_and_its_place_named_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Mutation& mutation : kMutations)
            QTest::newRow(mutation.name) << index++;
    }
    void each_mutation_is_found_and_its_place_named() {
        QFETCH(int, index);
        const Mutation& mutation = kMutations[index];
        const std::string path = sample();
        switch (mutation.at) {
        case At::Rows:
            edit_rows(path, [&](SQLite::Database& database) {
                database.exec(mutation.sql);
                if (mutation.rehashed) rehash(database);
            });
            break;
        case At::Schema:
            tamper(path, mutation.sql);
            break;
        }
        const auto report = verify_record(path);
        QVERIFY2(report.state == RecordState::Broken, qPrintable(QString::number(report.exit_status())));
        QVERIFY2(report.fault.find(mutation.says) != std::string::npos, report.fault.c_str());
        QCOMPARE(report.broken_at, mutation.broken_at);
        if (mutation.broken_at != 0) {
            QCOMPARE(report.events, mutation.broken_at > kEvents ? kEvents : report.events);
            QVERIFY(report.events == mutation.broken_at - 1 ||
                    report.events == mutation.broken_at); // at the seal all events hold
        }
    }

    void a_flipped_bit_of_an_event_is_found() {
        const std::string path = sample();
        const QByteArray whole = read_bytes(path);
        const int at = static_cast<int>(whole.indexOf("\"seq\":20,"));
        QVERIFY(at > 0);
        for (int bit = 0; bit < 8 * 200; bit += 3) {
            QByteArray flipped = whole;
            flipped[at + bit / 8] = static_cast<char>(flipped[at + bit / 8] ^ (1 << (bit % 8)));
            write_bytes(path, flipped);
            const auto report = verify_record(path);
            QVERIFY(report.state == RecordState::Broken);
            QCOMPARE(report.broken_at, std::uint64_t(20));
        }
    }

    void a_flipped_bit_anywhere_never_passes_for_another_record() {
        // A bit in free space or in a counter changes nothing that anybody reads; then the same events must be there.
        const std::string path = sample();
        const auto before = verify_record(path);
        const QByteArray whole = read_bytes(path);
        int found = 0;
        for (int at = 0; at < whole.size(); at += 23) {
            QByteArray flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
            write_bytes(path, flipped);
            const auto report = verify_record(path);
            if (report.state == RecordState::Sealed)
                QVERIFY(report.head_hash == before.head_hash && report.events == before.events);
            else
                ++found;
        }
        QVERIFY2(found > whole.size() / 23 / 2, qPrintable(QString::number(found)));
    }

    void a_cut_file_is_found_at_the_first_event_that_is_gone() {
        const std::string path = sample();
        const QByteArray whole = read_bytes(path);
        std::uint64_t least = kEvents, most = 0;
        for (qsizetype size = whole.size() - 1; size >= 8192; size -= 1111) {
            write_bytes(path, whole.left(size));
            const auto report = verify_record(path);
            QVERIFY2(report.state == RecordState::Broken, report.fault.c_str());
            if (report.broken_at != 0) {
                QCOMPARE(report.events, report.broken_at - 1);
                least = std::min(least, report.broken_at);
                most = std::max(most, report.broken_at);
            }
        }
        QVERIFY2(least >= 1 && most > 40 && least < 20, fmt::format("{} to {}", least, most).c_str());
    }

    void a_wal_that_was_cut_ends_the_record_earlier_never_in_the_middle_of_an_event() {
        const std::string where = fmt::format("{}/wal", base_.path().toStdString()), path = where + "/record.db";
        ::mkdir(where.c_str(), 0700);
        const pid_t child = ::fork();
        if (child == 0) {
            auto writer = RecordWriter::create(where, kId, started());
            for (int i = 2; i < 30; ++i)
                (void)(*writer)->append(denied(i));
            (void)(*writer)->seal(ended());
            ::_exit(0);
        }
        ::waitpid(child, nullptr, 0);
        const QByteArray main = read_bytes(path), wal = read_bytes(path + "-wal");
        QCOMPARE(verify_record(path).exit_status(), 0);
        std::uint64_t last = 30;
        for (qsizetype size = wal.size() - 1; size > 0; size -= 3001) {
            write_bytes(path, main);
            write_bytes(path + "-wal", wal.left(size));
            QFile::remove(QString::fromStdString(path + "-shm"));
            const auto report = verify_record(path);
            QVERIFY(report.state != RecordState::Sealed);
            QVERIFY(report.events == 0 ? report.state == RecordState::Broken : report.state == RecordState::Unsealed);
            QVERIFY(report.events <= last);
            last = report.events;
        }
        QCOMPARE(last, std::uint64_t(0));
    }

    void a_record_of_another_session_is_found_by_the_expected_id() {
        const std::string other = sample(true, "ffffffffffff");
        QCOMPARE(verify_record(other).exit_status(), 0);
        const auto report = verify_record(other, kId);
        QCOMPARE(report.exit_status(), 1);
        QCOMPARE(report.broken_at, std::uint64_t(1));
        QVERIFY2(report.fault.find("belongs to session ffffffffffff, not to 0123456789ab") != std::string::npos,
                 report.fault.c_str());
    }

    void events_spliced_in_from_another_session_are_found() {
        const std::string path = sample(), other = sample(true, "ffffffffffff");
        edit_rows(path, fmt::format("ATTACH '{}' AS other; DELETE FROM event WHERE seq>=20;"
                                    "INSERT INTO event SELECT seq,bytes,hash FROM other.event WHERE seq>=20;"
                                    "DELETE FROM seal; INSERT INTO seal SELECT * FROM other.seal; DETACH other",
                                    other));
        const auto report = verify_record(path);
        QCOMPARE(report.exit_status(), 1);
        QCOMPARE(report.broken_at, std::uint64_t(20));
    }

    void a_seal_made_with_another_key_is_found() {
        const std::string path = sample();
        edit_rows(path, [](SQLite::Database& database) { resign(database, false); });
        QVERIFY(verify_record(path).fault.find("not made with the key of event 1") != std::string::npos);
    }

    void a_record_written_anew_with_another_key_is_found_only_by_the_key_that_the_index_knows() {
        const std::string path = sample(), key = verify_record(path).public_key;
        edit_rows(path, [](SQLite::Database& database) {
            database.exec("UPDATE event SET bytes=replace(bytes,'denied','allowed') WHERE seq=20");
            resign(database, true);
        });
        const auto alone = verify_record(path, kId);
        QVERIFY2(alone.state == RecordState::Sealed, alone.fault.c_str()); // what an unanchored record cannot prove
        const auto known = verify_record(path, kId, key);
        QCOMPARE(known.exit_status(), 1);
        QCOMPARE(known.broken_at, std::uint64_t(1));
        QVERIFY2(known.fault.find("its public key is not the one") != std::string::npos, known.fault.c_str());
    }

    void the_tail_of_an_unsealed_record_can_be_cut_unseen() { // docs/record.md says so
        const std::string path = sample(false);
        edit_rows(path, "DELETE FROM event WHERE seq>50");
        QCOMPARE(verify_record(path).exit_status(), 2);
        QCOMPARE(verify_record(path).events, std::uint64_t(50));
    }

    void a_record_that_is_gone_is_not_readable() {
        const std::string path = sample();
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        QCOMPARE(verify_record(path).exit_status(), 3);
    }

    void a_clock_that_was_set_back_breaks_nothing() {
        const std::string where = fmt::format("{}/clock", base_.path().toStdString());
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        NewEvent earlier = denied(1);
        earlier.time_us = 1'000'000;
        QVERIFY((*writer)->append(earlier).has_value());
        QVERIFY((*writer)->seal(ended()).has_value());
        QCOMPARE(verify_record(where + "/record.db").exit_status(), 0);
    }

    void a_running_record_is_verified_while_it_grows() {
        const std::string where = fmt::format("{}/running", base_.path().toStdString());
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        for (int i = 0; i < 50; ++i) {
            QVERIFY((*writer)->append(denied(i)).has_value());
            const auto report = verify_record(where + "/record.db", kId, (*writer)->public_key());
            QVERIFY2(report.exit_status() == 2, report.fault.c_str());
            QCOMPARE(report.events, (*writer)->last_sequence());
        }
    }

    void every_kind_of_json_value_is_canonical_as_written() {
        const std::string where = fmt::format("{}/values", base_.path().toStdString());
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        const Json fields = {{"text", "\x01\x7f\"\\/\xc3\xa9\xf0\x9f\x94\x94"},
                             {"nul", std::string("a\0b", 3)},
                             {"small", 5e-324},
                             {"large", 1.7976931348623157e308},
                             {"negative zero", -0.0},
                             {"third", 1.0 / 3},
                             {"whole", 3.0},
                             {"most", UINT64_MAX},
                             {"least", INT64_MIN},
                             {"none", nullptr},
                             {"yes", true},
                             {"empty", Json::object()},
                             {"list", {1, {2, {3}}}},
                             {"not a number", std::nan("")}};
        QVERIFY((*writer)->append({"egress", fields}).has_value());
        QVERIFY((*writer)->seal(ended()).has_value());
        const auto report = verify_record(where + "/record.db");
        QVERIFY2(report.state == RecordState::Sealed, report.fault.c_str());
    }

    void memory_does_not_grow_with_the_record() {
        const auto peak_of = [&](int events) {
            const std::string where = fmt::format("{}/{}", base_.path().toStdString(), events);
            ::mkdir(where.c_str(), 0700);
            {
                auto writer = RecordWriter::create(where, kId, started());
                for (int i = 0; i < events; i += 1000) {
                    const std::vector<NewEvent> batch(1000, denied(i));
                    if (!(*writer)->append(batch)) return -1L;
                }
            }
            int ends[2];
            if (::pipe(ends) != 0) return -1L;
            const pid_t child = ::fork();
            if (child == 0) {
                rusage before{}, after{};
                ::getrusage(RUSAGE_SELF, &before);
                const bool whole = verify_record(where + "/record.db").events == static_cast<std::uint64_t>(events) + 1;
                ::getrusage(RUSAGE_SELF, &after);
                const long grown = whole ? after.ru_maxrss - before.ru_maxrss : -1;
                ::_exit(::write(ends[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
            }
            ::waitpid(child, nullptr, 0);
            long grown = -1;
            if (::read(ends[0], &grown, sizeof grown) != sizeof grown) grown = -1;
            ::close(ends[0]);
            ::close(ends[1]);
            return grown;
        };
        const long small = peak_of(10'000), large = peak_of(60'000);
        QVERIFY2(small >= 0 && large >= 0 && large <= small + 4096, fmt::format("{} and {} KiB", small, large).c_str());
    }
};

QTEST_GUILESS_MAIN(TestRecordVerify)
#include "test_record_verify.moc"
