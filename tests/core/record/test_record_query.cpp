// Questions about a record: pages, filters, folds and bins, and what a damaged event does to them.
#include "core/record/query.h"

#include "core/record/event_bytes.h"
#include "tests/core/record/sample_record.h"

using namespace belljar;
using namespace belljar::test;

class TestRecordQuery : public QObject {
    Q_OBJECT
    QTemporaryDir base_;
    int next_ = 0;
    std::string folder() { return fmt::format("{}/{}", base_.path().toStdString(), next_++); }
    static std::vector<std::uint64_t> sequences(const EventPage& page) {
        std::vector<std::uint64_t> out;
        for (const StoredEvent& event : page.events)
            out.push_back(event.seq);
        return out;
    }

private slots:
    void pages_follow_one_another_without_a_gap_or_a_repeat() {
        auto query = RecordQuery::open(make_record(folder(), 25, true));
        QVERIFY(query.has_value());
        std::vector<std::uint64_t> all;
        std::optional<EventCursor> behind;
        for (bool more = true; more;) {
            const auto page = (*query)->page({}, EventOrder::Newest, behind, 0, 7);
            QVERIFY(page.has_value());
            for (const std::uint64_t seq : sequences(*page))
                all.push_back(seq);
            behind = page->next;
            more = page->more;
        }
        QCOMPARE(all.size(), std::size_t(25));
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(all[i], std::uint64_t(25 - i));
    }

    void another_order_is_paged_by_its_own_cursor() {
        const std::string where = folder();
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        for (int i = 0; i < 9; ++i)
            QVERIFY((*writer)->append(denied(i, i % 2 == 0 ? "b.test" : "a.test")).has_value());
        auto query = RecordQuery::open(where + "/record.db");
        const EventFilter egress{.kinds = {"egress"}};
        const auto first = (*query)->page(egress, EventOrder::Host, {}, 0, 6);
        QVERIFY(first->more);
        QCOMPARE(sequences(*first), (std::vector<std::uint64_t>{9, 7, 5, 3, 10, 8}));
        const auto second = (*query)->page(egress, EventOrder::Host, first->next, 0, 6);
        QCOMPARE(sequences(*second), (std::vector<std::uint64_t>{6, 4, 2}));
        QVERIFY(!second->more);
    }

    void a_filter_takes_its_text_as_text() {
        const std::string where = folder();
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        QVERIFY((*writer)->append(denied(1, "one.test")).has_value());
        QVERIFY((*writer)->append(denied(2, "two.test")).has_value());
        auto query = RecordQuery::open(where + "/record.db");
        QCOMPARE(*(*query)->count({.host = "ONE"}, 0), std::uint64_t(1));
        QCOMPARE(*(*query)->count({.host = "' OR 1=1 --"}, 0), std::uint64_t(0));
        QCOMPARE(*(*query)->count({.process = "curl"}, 0), std::uint64_t(2));
        QCOMPARE(*(*query)->count({.conn = 2}, 0), std::uint64_t(1));
        QCOMPARE(*(*query)->count({.since_us = 1'900'000'001'000'002}, 0), std::uint64_t(1));
        QCOMPARE(*(*query)->count({.verdict = "denied"}, 2), std::uint64_t(1));
    }

    void denials_are_folded_with_their_counts() {
        const std::string where = folder();
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        for (int i = 0; i < 3; ++i)
            QVERIFY((*writer)->append(denied(i)).has_value());
        QVERIFY((*writer)->append({"syscall-denied", {{"syscall", "bpf"}, {"count", 40}}}).has_value());
        auto query = RecordQuery::open(where + "/record.db");
        const auto folds = (*query)->denials({}, 0);
        QVERIFY(folds.has_value());
        QCOMPARE(folds->size(), std::size_t(2));
        QCOMPARE(folds->at(0).what, std::string("bpf"));
        QCOMPARE(folds->at(0).count, std::uint64_t(40));
        QCOMPARE(folds->at(1).count, std::uint64_t(3));
        QCOMPARE(folds->at(1).first_seq, std::uint64_t(2));
        QCOMPARE(folds->at(1).last_seq, std::uint64_t(4));
        QCOMPARE(*(*query)->denial_marks(1'900'000'001'000'000, 1'900'000'002'000'000), // newest first
                 (std::vector<std::int64_t>{1'900'000'001'000'002, 1'900'000'001'000'001, 1'900'000'001'000'000}));
    }

    void bytes_are_spread_over_the_time_of_their_connection() {
        const std::string where = folder();
        ::mkdir(where.c_str(), 0700);
        auto writer = RecordWriter::create(where, kId, started());
        NewEvent open = denied(7, "cdn.test");
        open.fields["verdict"] = "allowed";
        QVERIFY((*writer)->append(open).has_value());
        QVERIFY((*writer)->append({"egress-closed", {{"conn", 7}, {"bytes_sent", 100}, {"bytes_received", 300}, {"duration_ms", 4000}},
                                   1'900'000'008'000'000}).has_value());
        auto query = RecordQuery::open(where + "/record.db");
        const auto traffic = (*query)->traffic(1'900'000'000'000'000, 1'900'000'010'000'000, 10);
        QVERIFY(traffic.has_value());
        QCOMPARE(traffic->by_host.at("cdn.test"), (std::vector<double>{0, 0, 0, 0, 100, 100, 100, 100, 0, 0}));
        const auto ends = (*query)->ends({7, 8}, 0);
        QCOMPARE(ends->size(), std::size_t(1));
        QCOMPARE(ends->at(7).received, std::uint64_t(300));
    }

    void a_damaged_event_hides_none_of_the_others() {
        const std::string path = make_record(folder(), 6, false);
        edit_rows(path, "UPDATE event SET bytes='{no json' WHERE seq=3; UPDATE event SET bytes='[1]' WHERE seq=4");
        auto query = RecordQuery::open(path);
        QVERIFY(query.has_value());
        const auto page = (*query)->page({}, EventOrder::Host, {}, 0, 10);
        QVERIFY2(page.has_value(), page ? "" : page.error().message().c_str());
        QCOMPARE(page->events.size(), std::size_t(6));
        QCOMPARE(*(*query)->count({.kinds = {"damaged"}}, 0), std::uint64_t(2));
        QCOMPARE((*query)->denials({}, 0)->at(0).count, std::uint64_t(3));
    }

    void a_question_that_is_no_longer_wanted_ends() {
        auto query = RecordQuery::open(make_record(folder(), 3000, true));
        (*query)->set_wanted([] { return false; });
        const auto count = (*query)->count({.text = "x"}, 0);
        QVERIFY(!count.has_value());
        QCOMPARE(count.error().why, std::string("no longer wanted"));
        (*query)->set_wanted([] { return true; });
        QVERIFY((*query)->count({.text = "x"}, 0).has_value());
    }
};

QTEST_GUILESS_MAIN(TestRecordQuery)
#include "test_record_query.moc"
