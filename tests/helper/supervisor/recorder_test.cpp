// What may be relied on of the session's recorder: nothing is dropped without a number saying so.
#include "helper/supervisor/session_recorder.h"
#include "tests/helper/supervisor/memory_writer.h"

#include <QTest>

using namespace belljar;
using namespace std::chrono_literals;

namespace {

NewEvent denial(const std::string& call, int argument, int pid) {
    NewEvent event{.kind = "syscall-denied", .fields = Json::object()};
    event.fields["syscall"] = call;
    event.fields["args"] = Json::array({argument});
    event.fields["pid"] = pid;
    event.fields["exe"] = "/usr/bin/test";
    return event;
}

NewEvent allowed() {
    NewEvent event{.kind = "egress", .fields = Json::object()};
    event.fields["verdict"] = "allowed";
    return event;
}

struct Bench {
    boost::asio::io_context loop{1};
    MemoryRecord record;
    SessionRecorder recorder;
    explicit Bench(SessionRecorder::Bounds bounds = {.distinct_per_second = 200, .waiting = 8192, .fold = 50ms})
        : recorder(loop, std::make_unique<MemoryWriter>(record), bounds) {}
    void turn() {
        loop.restart();
        loop.poll();
    }
    void run_for(std::chrono::milliseconds time) {
        loop.restart();
        loop.run_for(time);
    }
};

} // namespace

class RecorderTest : public QObject {
    Q_OBJECT
private slots:
    void the_first_denial_is_written_in_the_same_turn() {
        Bench bench;
        bench.recorder.note_repeating("a", denial("swapon", 1, 2));
        bench.turn();
        QCOMPARE(bench.record.events.size(), 1u);
        QCOMPARE(bench.record.events[0].fields["count"].get<int>(), 1);
        QVERIFY(bench.record.events[0].time_us > 0);
    }

    void repeats_follow_with_their_count_within_the_second() {
        Bench bench;
        for (int i = 0; i < 1000; ++i)
            if (!bench.recorder.repeat("a")) bench.recorder.note_repeating("a", denial("swapon", 1, 2));
        bench.turn();
        QCOMPARE(bench.record.events.size(), 1u);
        bench.run_for(80ms);
        QCOMPARE(bench.record.events.size(), 2u);
        QCOMPARE(bench.record.events[1].fields["count"].get<int>(), 999);
        QCOMPARE(bench.recorder.totals().calls_denied, 1000u);
    }

    void a_denial_after_a_quiet_time_is_a_first_one_again() {
        Bench bench;
        bench.recorder.note_repeating("a", denial("swapon", 1, 2));
        bench.run_for(120ms);
        QVERIFY(!bench.recorder.repeat("a"));
        bench.recorder.note_repeating("a", denial("swapon", 1, 2));
        bench.turn();
        QCOMPARE(bench.record.events.size(), 2u);
    }

    void different_denials_are_kept_apart() {
        Bench bench;
        for (int i = 0; i < 20; ++i)
            bench.recorder.note_repeating(std::to_string(i), denial("swapon", i, 2));
        bench.turn();
        QCOMPARE(bench.record.events.size(), 20u);
    }

    void a_flood_of_allowed_names_never_counts_a_denied_one() {
        Bench bench({.distinct_per_second = 10, .targets_per_second = 10, .waiting = 8192, .fold = 50ms});
        const auto look_up = [&](const char* verdict, int number) {
            NewEvent event{.kind = "dns", .fields = {{"name", std::to_string(number) + ".test"}, {"type", "A"}, {"verdict", verdict}, {"pid", 2}}};
            bench.recorder.note_repeating(verdict + std::to_string(number), std::move(event));
        };
        for (int i = 0; i < 300; ++i)
            look_up("allowed", i);
        for (int i = 0; i < 6; ++i)
            look_up("denied", i);
        QVERIFY(bench.recorder.seal(NewEvent{.kind = "session-ended"}));
        std::uint64_t denied = 0;
        for (const NewEvent& event : bench.record.events)
            if (event.kind == "dns" && event.fields["verdict"] == "denied") denied += event.fields.value("count", std::uint64_t{1});
        QCOMPARE(denied, 6u);
        QCOMPARE(bench.recorder.totals().denied, 6u);
    }

    void a_flood_of_different_denials_is_bounded_and_counted_to_the_last() {
        Bench bench({.distinct_per_second = 10, .waiting = 8192, .fold = 50ms});
        for (int i = 0; i < 5000; ++i)
            bench.recorder.note_repeating(std::to_string(i), denial("swapon", i, i % 100));
        QVERIFY(bench.recorder.seal(NewEvent{.kind = "session-ended"}));
        QCOMPARE(bench.record.counted("syscall-denied"), 5000u);
        QVERIFY2(bench.record.events.size() <= 45, qPrintable(QString::number(bench.record.events.size())));
        bool by_process = false, by_call = false;
        for (const NewEvent& event : bench.record.events) {
            if (event.fields.value("folded", "") == "by process and call") {
                by_process = true;
                QVERIFY(event.fields.contains("pid") && !event.fields.contains("args"));
            }
            if (event.fields.value("folded", "") == "by call") {
                by_call = true;
                QVERIFY(!event.fields.contains("pid") && event.fields.contains("syscall"));
            }
        }
        QVERIFY(by_process && by_call);
    }

    void what_is_noted_in_one_turn_is_one_transaction() {
        Bench bench;
        for (int i = 0; i < 10; ++i)
            bench.recorder.note(denial("swapon", i, 2));
        bench.turn();
        QCOMPARE(bench.record.batches, std::vector<std::size_t>{10});
    }

    void an_allow_is_in_the_record_when_commit_returns_and_after_what_came_before() {
        Bench bench;
        bench.recorder.note(denial("swapon", 1, 2));
        QVERIFY(bench.recorder.commit(allowed()));
        QCOMPARE(bench.record.events.size(), 2u);
        QCOMPARE(bench.record.events[0].kind, std::string("syscall-denied"));
        QCOMPARE(bench.recorder.totals().allowed, 1u);
    }

    void an_allow_that_cannot_be_written_is_refused_and_said() {
        Bench bench;
        int said = 0;
        bench.recorder.on_failure = [&](const Error&) { ++said; };
        bench.record.failing = true;
        QVERIFY(!bench.recorder.commit(allowed()));
        bench.recorder.note(denial("swapon", 1, 2));
        bench.turn();
        QVERIFY(!bench.recorder.commit(allowed()));
        QCOMPARE(said, 1);
        QCOMPARE(bench.recorder.totals().allowed, 0u);
    }

    void what_was_noted_meanwhile_is_written_once_the_disk_takes_it_again() {
        Bench bench({.distinct_per_second = 10, .waiting = 4, .fold = 50ms});
        bench.record.failing = true;
        for (int i = 0; i < 6; ++i)
            bench.recorder.note(denial("swapon", i, 2));
        bench.turn();
        bench.record.failing = false;
        bench.run_for(120ms);
        QCOMPARE(bench.record.of("syscall-denied").size(), 4u);
        const auto gaps = bench.record.of("record-gap");
        QCOMPARE(gaps.size(), 1u);
        QCOMPARE(gaps[0].fields["events"].get<int>(), 2);
        QVERIFY(bench.recorder.commit(allowed()));
    }

    void the_seal_comes_last_and_takes_everything_along() {
        Bench bench;
        for (int i = 0; i < 50; ++i)
            if (!bench.recorder.repeat("a")) bench.recorder.note_repeating("a", denial("swapon", 1, 2));
        QVERIFY(bench.recorder.seal(NewEvent{.kind = "session-ended"}));
        QCOMPARE(bench.record.counted("syscall-denied"), 50u);
        QCOMPARE(bench.record.events.back().kind, std::string("session-ended"));
        bench.recorder.note(denial("swapon", 1, 2));
        bench.run_for(80ms);
        QCOMPARE(bench.record.events.back().kind, std::string("session-ended"));
    }
};

QTEST_GUILESS_MAIN(RecorderTest)
#include "recorder_test.moc"
