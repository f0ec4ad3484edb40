// The index: what it shows is what the folders say, whatever happens to it.
#include "core/record/index.h"

#include "core/record/event_bytes.h"
#include "core/record/lifecycle.h"
#include "core/system/unique_fd.h"
#include "tests/core/record/sample_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// The disk is not what is tested here.
extern "C" int fsync(int) {
    return 0;
}
extern "C" int fdatasync(int) {
    return 0;
}

using namespace belljar;
using namespace belljar::test;

namespace {

std::string id_of(int number) {
    return fmt::format("{:012x}", number);
}

SessionRow row_of(const std::string& id, const std::string& name, std::int64_t started_us = 1'900'000'000'000'000) {
    SessionRow row;
    row.id = id;
    row.name = name;
    row.command = "bash";
    row.workspace = "/w";
    row.policy = "default";
    row.started_us = started_us;
    return row;
}

} // namespace

class TestSessionIndex : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    int next_ = 0;
    Paths paths() {
        Paths paths;
        paths.state = fmt::format("{}/{}", base_.path().toStdString(), next_++);
        ::mkdir(paths.state.c_str(), 0700);
        ::mkdir(paths.sessions().c_str(), 0700);
        return paths;
    }
    static UniqueFd hold_lock(const Paths& paths, const std::string& id) {
        UniqueFd lock(::open((paths.session(id) + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) qFatal("flock");
        return lock;
    }
    static Status announce(const Paths& paths, const SessionRow& row) {
        ::mkdir(paths.session(row.id).c_str(), 0700);
        return SessionIndex::announce(paths, row);
    }
    static SessionIndex open(const Paths& paths) {
        auto index = SessionIndex::open(paths);
        if (!index) qFatal("%s", index.error().message().c_str());
        return std::move(*index);
    }
    static std::vector<std::string> ids(SessionIndex& index) {
        std::vector<std::string> out;
        const auto rows = index.list();
        if (!rows) qFatal("%s", rows.error().message().c_str());
        for (const SessionRow& row : *rows)
            out.push_back(row.id);
        return out;
    }

private slots:
    void a_session_passes_through_its_states() {
        const Paths where = paths();
        SessionIndex index = open(where);
        QVERIFY(index.put(row_of(kId, "sample", now_us())).has_value());
        ::mkdir(where.session(kId).c_str(), 0700);
        QVERIFY(index.list()->front().state == SessionState::Starting);
        UniqueFd lock = hold_lock(where, kId);
        QVERIFY(index.list()->front().state == SessionState::Starting);
        auto writer = RecordWriter::create(where.session(kId), kId, started());
        QVERIFY(index.list()->front().state == SessionState::Running);
        QVERIFY((*writer)->seal(ended(7)).has_value());
        const SessionRow row = index.list()->front();
        QVERIFY(row.state == SessionState::Ended && row.sealed);
        QCOMPARE(*row.status, 7);
        QCOMPARE(row.reason, std::string("exited"));
        QCOMPARE(row.totals.allowed, std::uint64_t(1));
        QCOMPARE(row.totals.denied, std::uint64_t(2));
        QCOMPARE(row.totals.calls_denied, std::uint64_t(3));
        QCOMPARE(row.totals.bytes_sent, std::uint64_t(4));
        QCOMPARE(row.totals.bytes_received, std::uint64_t(5));
        QCOMPARE(row.ended_us, std::int64_t(1'900'000'002'000'000));
        QCOMPARE(row.public_key, (*writer)->public_key());
        QCOMPARE(row.command, std::string("bash -c 'echo it'\\''s'"));
    }

    void unlocked_and_unsealed_means_lost_and_its_events_are_counted() {
        const Paths where = paths();
        const std::string path = make_record(where.session(kId), 4, false);
        const SessionRow row = open(where).list()->front();
        QVERIFY(row.state == SessionState::Lost && !row.sealed && !row.status);
        QCOMPARE(row.totals.denied, std::uint64_t(3));
        QCOMPARE(row.ended_us, std::int64_t(1'900'000'001'000'004));
        QVERIFY(!row.reason.empty());
    }

    void a_session_that_never_came_up_is_lost() {
        const Paths where = paths();
        SessionIndex index = open(where);
        QVERIFY(index.put(row_of(kId, "sample", now_us() - 60'000'000)).has_value());
        QVERIFY(index.list()->front().state == SessionState::Lost);
    }

    void the_lock_is_seen_and_not_taken() {
        const Paths where = paths();
        ::mkdir(where.session(kId).c_str(), 0700);
        QVERIFY(!session_is_alive(where, kId)); // no lock file
        UniqueFd lock = hold_lock(where, kId);
        QVERIFY(session_is_alive(where, kId));
        lock.reset();
        QVERIFY(!session_is_alive(where, kId));
        lock = hold_lock(where, kId); // looking has left nothing behind
        QVERIFY(session_is_alive(where, kId));
    }

    void the_newest_comes_first() {
        const Paths where = paths();
        SessionIndex index = open(where);
        QVERIFY(index.put(row_of(id_of(1), "a", 100)).has_value());
        QVERIFY(index.put(row_of(id_of(2), "b", 300)).has_value());
        QVERIFY(index.put(row_of(id_of(3), "c", 200)).has_value());
        QCOMPARE(ids(index), (std::vector<std::string>{id_of(2), id_of(3), id_of(1)}));
    }

    void a_session_is_found_by_id_prefix_or_name_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("says");
        QTest::newRow("the full id") << "aaaa00000001"
                                     << "aaaa00000001"
                                     << "";
        QTest::newRow("a unique prefix") << "aab"
                                         << "aab000000002"
                                         << "";
        QTest::newRow("one digit") << "b"
                                   << "bbbb00000003"
                                   << "";
        QTest::newRow("an ambiguous prefix") << "aa"
                                             << ""
                                             << "aaaa00000001 (old), aab000000002 (twice)";
        QTest::newRow("a name") << "old"
                                << "aaaa00000001"
                                << "";
        QTest::newRow("a name that two have: the newest") << "twice"
                                                          << "bbbb00000003"
                                                          << "";
        QTest::newRow("a name that is also another's prefix") << "cc"
                                                              << ""
                                                              << "that could be cc0000000004 (d), dd0000000005 (cc)";
        QTest::newRow("none") << "nothing"
                              << ""
                              << "there is none";
        QTest::newRow("the empty text") << ""
                                        << ""
                                        << "there is none";
        QTest::newRow("a wildcard") << "%"
                                    << ""
                                    << "there is none";
    }
    void a_session_is_found_by_id_prefix_or_name() {
        QFETCH(QString, wanted);
        QFETCH(QString, id);
        QFETCH(QString, says);
        SessionIndex index = open(paths());
        for (const auto& [id_, name, at] : {std::tuple{"aaaa00000001", "old", 1},
                                            {"aab000000002", "twice", 2},
                                            {"bbbb00000003", "twice", 3},
                                            {"cc0000000004", "d", 4},
                                            {"dd0000000005", "cc", 5}})
            QVERIFY(index.put(row_of(id_, name, at)).has_value());
        const auto found = index.find(wanted.toStdString());
        if (!id.isEmpty())
            QCOMPARE(QString::fromStdString(found ? found->id : found.error().message()), id);
        else
            QVERIFY2(!found && QString::fromStdString(found.error().message()).contains(says),
                     found ? "found" : found.error().message().c_str());
    }

    void of_two_with_one_name_the_running_one_is_found() {
        const Paths where = paths();
        make_record(where.session(id_of(1)), 3, false, id_of(1));
        make_record(where.session(id_of(2)), 3, true, id_of(2));
        const UniqueFd lock = hold_lock(where, id_of(1));
        QCOMPARE(open(where).find("sample")->id, id_of(1));
    }

    void a_new_name_lives_in_the_index_and_survives_a_rebuild() {
        const Paths where = paths();
        make_record(where.session(kId), 3, true);
        SessionIndex index = open(where);
        QVERIFY(index.rename(kId, "better").has_value());
        QVERIFY(!index.rename(kId, "a/b"));
        QVERIFY(!index.rename(id_of(9), "better"));
        QVERIFY(index.rebuild().has_value());
        QCOMPARE(index.find("better")->id, std::string(kId));
        QVERIFY(index.find("better")->state == SessionState::Ended);
    }

    void a_new_name_survives_the_end_of_its_session() {
        const Paths where = paths();
        SessionIndex index = open(where);
        ::mkdir(where.session(kId).c_str(), 0700);
        const UniqueFd lock = hold_lock(where, kId);
        auto writer = RecordWriter::create(where.session(kId), kId, started());
        QVERIFY(index.rename(kId, "better").has_value());
        QVERIFY((*writer)->seal(ended()).has_value());
        QCOMPARE(index.list()->front().name, std::string("better"));
    }

    void what_is_forgotten_is_gone() {
        const Paths where = paths();
        SessionIndex index = open(where);
        QVERIFY(index.put(row_of(kId, "x")).has_value());
        QVERIFY(index.forget(kId).has_value());
        QVERIFY(ids(index).empty());
    }

    void a_record_that_was_removed_keeps_its_row() {
        const Paths where = paths();
        make_record(where.session(kId), 3, true);
        SessionIndex index = open(where);
        QVERIFY(index.list()->front().sealed);
        QVERIFY(QDir(QString::fromStdString(where.session(kId))).removeRecursively());
        QVERIFY(index.list()->front().state == SessionState::Ended);
    }

    void a_damaged_record_is_a_lost_session_that_says_why() {
        const Paths where = paths();
        const std::string path = make_record(where.session(kId), 3, true);
        QVERIFY(QFile::resize(QString::fromStdString(path), 100));
        const SessionRow row = open(where).list()->front();
        QVERIFY(row.state == SessionState::Lost);
        QVERIFY2(row.reason.find("record.db") != std::string::npos, row.reason.c_str());
    }

    void a_damaged_index_is_set_aside_and_rebuilt_data() {
        QTest::addColumn<QString>("how");
        for (const char* how : {"garbage", "cut", "emptied table", "dropped table", "damaged while open"})
            QTest::newRow(how) << how;
    }
    void a_damaged_index_is_set_aside_and_rebuilt() {
        QFETCH(QString, how);
        const Paths where = paths();
        for (int i = 1; i <= 40; ++i)
            make_record(where.session(id_of(i)), 3, true, id_of(i));
        std::optional<SessionIndex> index = open(where);
        QCOMPARE(ids(*index).size(), std::size_t(40));
        QVERIFY(index->notice().empty());
        if (how != "damaged while open") index.reset();
        QFile file(QString::fromStdString(where.index()));
        QVERIFY(file.open(QIODevice::ReadWrite));
        if (how == "garbage" || how == "damaged while open") file.write(QByteArray(int(file.size()), 'x'));
        if (how == "cut") file.resize(file.size() / 2);
        if (how == "emptied table") {
            file.seek(4096);
            file.write(QByteArray(int(file.size()) - 4096, '\xee'));
        }
        file.close();
        if (how == "dropped table") SQLite::Database(where.index(), SQLite::OPEN_READWRITE).exec("DROP TABLE session");
        if (!index) index = open(where);
        QCOMPARE(ids(*index).size(), std::size_t(40));
        QVERIFY(index->list()->front().sealed);
        QVERIFY2(index->notice().find("index.db.corrupt-") != std::string::npos, index->notice().c_str());
        const auto aside = QDir(QString::fromStdString(where.state)).entryList({"index.db.corrupt-*"}, QDir::Files);
        QCOMPARE(aside.size(), 1);
        QVERIFY(open(where).notice().empty());
    }

    void an_index_of_a_newer_belljar_is_left_alone() {
        const Paths where = paths();
        open(where);
        SQLite::Database(where.index(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version=9");
        const auto index = SessionIndex::open(where);
        QVERIFY(!index && index.error().message().find("newer") != std::string::npos);
    }

    void several_processes_use_it_at_once() {
        const Paths where = paths();
        std::vector<pid_t> children;
        for (int child = 0; child < 8; ++child) {
            const pid_t pid = ::fork();
            if (pid == 0) {
                auto index = SessionIndex::open(where);
                if (!index) ::_exit(1);
                for (int i = 0; i < 20; ++i)
                    if (!index->put(row_of(id_of(child * 100 + i), "x", now_us())) || !index->list()) ::_exit(2);
                ::_exit(0);
            }
            children.push_back(pid);
        }
        for (const pid_t pid : children) {
            int status = 0;
            ::waitpid(pid, &status, 0);
            QCOMPARE(WEXITSTATUS(status), 0);
        }
        SessionIndex index = open(where);
        QCOMPARE(ids(index).size(), std::size_t(160));
    }

    void a_session_that_was_announced_is_listed_and_found_once() {
        const Paths where = paths();
        SessionIndex index = open(where);
        QVERIFY(announce(where, row_of(id_of(1), "a")).has_value());
        QVERIFY(announce(where, row_of(id_of(2), "b")).has_value());
        QCOMPARE(ids(index).size(), std::size_t(2));
        QCOMPARE(index.find("b")->id, id_of(2));
        QVERIFY(index.rename(id_of(2), "c").has_value());
        QCOMPARE(open(where).find("c")->id, id_of(2)); // and was not taken in again
        QCOMPARE(index.list()->size(), std::size_t(2));
    }

    // The key in the index is a witness beside the record: one that was announced at the start holds, though somebody
    // may have looked at the folder before.
    void the_key_announced_at_the_start_holds() {
        const Paths where = paths();
        make_record(where.session(kId), 3, true);
        SessionIndex index = open(where);
        QVERIFY(!index.find(kId)->public_key.empty());
        SessionRow announced = row_of(kId, "other");
        announced.public_key = std::string(64, '7');
        QVERIFY(announce(where, announced).has_value());
        const auto found = index.find(kId);
        QCOMPARE(found->public_key, announced.public_key);
        QCOMPARE(found->name, std::string("sample"));
    }

    void what_is_no_announcement_is_passed_over() {
        const Paths where = paths();
        SessionIndex index = open(where);
        QFile file(QString::fromStdString(where.state + "/index.announced"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\n[]\n{\"id\":7}\n{\"id\":\"../../etc\"}\nhalf a li");
        file.close();
        QVERIFY(announce(where, row_of(id_of(1), "a")).has_value());
        QVERIFY(announce(where, row_of(id_of(2), "b")).has_value());
        QVERIFY(SessionIndex::announce(where, row_of(id_of(3), "without a folder")).has_value());
        QCOMPARE(ids(index), (std::vector<std::string>{id_of(1), id_of(2)}));
    }

    void announcements_of_many_at_once_are_all_taken_in_while_others_list() {
        const Paths where = paths();
        open(where);
        std::vector<std::thread> threads;
        std::atomic<int> failures = 0;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&, i] {
                for (int j = 0; j < 20; ++j) {
                    if (!announce(where, row_of(id_of(i * 100 + j), "x"))) ++failures;
                    if (j % 5 == 0 && i % 2 == 0) {
                        auto index = SessionIndex::open(where);
                        if (!index || !index->list()) ++failures;
                    }
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(failures.load(), 0);
        SessionIndex index = open(where);
        QCOMPARE(ids(index).size(), std::size_t(160));
    }

    void announcements_that_nobody_reads_do_not_pile_up() {
        const Paths where = paths();
        SessionRow large = row_of(id_of(1), "large");
        large.command = std::string(100'000, 'x');
        for (int i = 0; i < 200; ++i) {
            large.id = id_of(i);
            QVERIFY(announce(where, large).has_value());
        }
        QVERIFY(QFileInfo(QString::fromStdString(where.state + "/index.announced")).size() < 512 * 1024);
        SessionIndex index = open(where);
        QCOMPARE(ids(index).size(), std::size_t(200));
    }

    void several_processes_repair_it_once() {
        const Paths where = paths();
        make_record(where.session(kId), 3, true);
        open(where);
        QFile file(QString::fromStdString(where.index()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(20000, 'x'));
        file.close();
        std::vector<std::thread> threads;
        std::vector<std::string> said(8);
        for (std::string& what : said)
            threads.emplace_back([&] {
                auto index = SessionIndex::open(where);
                if (!index) return void(what = index.error().message());
                const auto rows = index->list();
                what = rows ? fmt::format("{} rows", rows->size()) : rows.error().message();
            });
        for (std::thread& thread : threads)
            thread.join();
        for (const std::string& what : said)
            QCOMPARE(what, std::string("1 rows"));
        QCOMPARE(QDir(QString::fromStdString(where.state)).entryList({"index.db.corrupt-*"}, QDir::Files).size(), 1);
    }

    void thousands_of_ended_sessions_are_listed_without_reading_their_records() {
        const Paths where = paths();
        SessionIndex index = open(where);
        make_record(where.session(kId), 3, true);
        QCOMPARE(ids(index).size(), std::size_t(1));
        SQLite::Database raw(where.index(), SQLite::OPEN_READWRITE);
        raw.exec("BEGIN");
        for (int i = 0; i < 5000; ++i) {
            raw.exec(
                fmt::format("INSERT INTO session SELECT "
                            "'{}',name,command,workspace,policy,public_key,started_us+{},ended_us,state,status,reason,"
                            "allowed,denied,calls_denied,bytes_sent,bytes_received,sealed FROM session WHERE id='{}'",
                            id_of(i), i, kId));
            if (i % 10 == 0) ::mkdir(where.session(id_of(i)).c_str(), 0700); // no record in it: reading one would show
        }
        raw.exec("COMMIT");
        QElapsedTimer clock;
        clock.start();
        const auto rows = index.list();
        qInfo("5,001 sessions listed in %lld ms", clock.elapsed());
        QCOMPARE(rows->size(), std::size_t(5001));
        QVERIFY(std::all_of(rows->begin(), rows->end(),
                            [](const SessionRow& row) { return row.state == SessionState::Ended; }));
        QVERIFY(clock.elapsed() < 1000);
    }
};

QTEST_GUILESS_MAIN(TestSessionIndex)
#include "test_session_index.moc"
