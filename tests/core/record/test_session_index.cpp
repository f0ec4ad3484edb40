// The index: what it shows is what the folders say, whatever happens to it.
#include "core/record/event_bytes.h"
#include "core/record/lifecycle.h"
#include "tests/core/record/session_index_fixture.h"

#include <sys/wait.h>
#include <thread>

// The disk is not what is tested here.
extern "C" int fsync(int) {
    return 0;
}
extern "C" int fdatasync(int) {
    return 0;
}

using namespace belljar;
using namespace belljar::test;

class TestSessionIndex : public QObject, private SessionIndexFixture {
    Q_OBJECT

private slots:
    void a_session_passes_through_its_states() {
        const Paths where = paths();
        SessionIndex index = open(where);
        QVERIFY(announce(where, row_of(kId, "sample", now_us())).has_value());
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
        QVERIFY(announce(where, row_of(kId, "sample", now_us() - 60'000'000)).has_value());
        QVERIFY(index.list()->front().state == SessionState::Lost);
    }

    void a_session_that_is_just_being_made_is_left_to_the_next_look() {
        const Paths where = paths();
        SessionIndex index = open(where);
        const std::string folder = where.session(kId);
        ::mkdir(folder.c_str(), 0700);
        QVERIFY(ids(index).empty());
        const UniqueFd lock = hold_lock(where, kId);
        QVERIFY(ids(index).empty());
        QVERIFY(announce(where, row_of(kId, "named", now_us())).has_value());
        QCOMPARE(index.find("named")->id, std::string(kId));
        QVERIFY(index.list()->front().state == SessionState::Starting);
    }

    void a_folder_that_nothing_was_ever_made_of_is_a_lost_session() {
        const Paths where = paths();
        SessionIndex index = open(where);
        ::mkdir(where.session(kId).c_str(), 0700);
        const timespec then[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
        ::utimensat(AT_FDCWD, where.session(kId).c_str(), then, 0);
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
        QVERIFY(announce(where, row_of(id_of(1), "a", 100)).has_value());
        QVERIFY(announce(where, row_of(id_of(2), "b", 300)).has_value());
        QVERIFY(announce(where, row_of(id_of(3), "c", 200)).has_value());
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
        const Paths where = paths();
        SessionIndex index = open(where);
        for (const auto& [id_, name, at] : {std::tuple{"aaaa00000001", "old", 1},
                                            {"aab000000002", "twice", 2},
                                            {"bbbb00000003", "twice", 3},
                                            {"cc0000000004", "d", 4},
                                            {"dd0000000005", "cc", 5}})
            QVERIFY(announce(where, row_of(id_, name, at)).has_value());
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
        QVERIFY(announce(where, row_of(kId, "x")).has_value());
        QCOMPARE(ids(index).size(), std::size_t(1));
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
                    if (!announce(where, row_of(id_of(child * 100 + i), "x", now_us())) || !index->list()) ::_exit(2);
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
