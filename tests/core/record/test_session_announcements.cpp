// What a launch leaves for the index: taken in once by whoever reads next, and no more than that.
#include "tests/core/record/session_index_fixture.h"

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

class TestSessionAnnouncements : public QObject, private SessionIndexFixture {
    Q_OBJECT

private slots:
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
};
QTEST_GUILESS_MAIN(TestSessionAnnouncements)
#include "test_session_announcements.moc"
