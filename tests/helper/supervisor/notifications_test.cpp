// Denied calls of a real process under a real filter: answered, told apart, counted.
#include "helper/supervisor/denied_calls.h"
#include "helper/supervisor/session_recorder.h"
#include "tests/helper/supervisor/filtered_child.h"
#include "tests/helper/supervisor/memory_writer.h"

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace belljar;
using namespace std::chrono_literals;

namespace {

int denied_call(long argument) {
    return ::syscall(kDeniedCall, argument, 0) == 0 ? 0 : errno;
}

struct Bench {
    boost::asio::io_context loop{1};
    MemoryRecord record;
    SessionRecorder recorder{loop, std::make_unique<MemoryWriter>(record)};
    Processes processes;
    DeniedCalls denied{processes, recorder};
    std::unique_ptr<Notifications> notifications;

    explicit Bench(FilteredChild& child) {
        auto made = Notifications::make(loop, child.take_listener(), [this](const NotifiedCall& call) {
            notifications->answer(call.id, denied.deny(call));
        });
        if (!made) throw std::runtime_error(made.error().message());
        notifications = std::move(*made);
    }
    int run(FilteredChild& child) {
        const auto until = std::chrono::steady_clock::now() + 30s;
        while (std::chrono::steady_clock::now() < until) {
            loop.restart();
            loop.run_for(5ms);
            if (const auto status = child.ended()) return *status;
        }
        return -1;
    }
    void seal() { (void)recorder.seal(NewEvent{.kind = "session-ended"}); }
};

} // namespace

class NotificationsTest : public QObject {
    Q_OBJECT
private slots:
    void a_denied_call_is_answered_with_its_errno_and_recorded() {
        FilteredChild child([] { return denied_call(0x1234) == EPERM ? 0 : 1; });
        const pid_t pid = child.pid();
        Bench bench(child);
        QCOMPARE(bench.run(child), 0);
        bench.seal();
        const auto events = bench.record.of("syscall-denied");
        QCOMPARE(events.size(), 1u);
        const Json& fields = events[0].fields;
        QCOMPARE(fields["syscall"].get<std::string>(), std::string("swapon"));
        QCOMPARE(fields["nr"].get<int>(), static_cast<int>(SYS_swapon));
        QCOMPARE(fields["args"].dump(), std::string(R"(["0x1234","0x0"])"));
        QCOMPARE(fields["errno"].get<std::string>(), std::string("EPERM"));
        QCOMPARE(fields["pid"].get<int>(), pid);
        QCOMPARE(fields["exe"].get<std::string>(), std::filesystem::read_symlink("/proc/self/exe").string());
        QVERIFY(fields["argv"][0].get<std::string>().find("notifications") != std::string::npos);
    }

    void twenty_thousand_denied_calls_are_counted_to_the_last() {
        constexpr int kCalls = 20000;
        const std::string times =
            std::filesystem::temp_directory_path() / ("belljar-times-" + std::to_string(::getpid()));
        FilteredChild child([&] {
            std::vector<double> took;
            took.reserve(kCalls);
            for (int i = 0; i < kCalls; ++i) {
                const auto before = std::chrono::steady_clock::now();
                if (denied_call(1) != EPERM) return 1;
                took.push_back(
                    std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count());
            }
            std::ranges::sort(took);
            std::ofstream(times) << took[kCalls / 2];
            return 0;
        });
        Bench bench(child);
        QCOMPARE(bench.run(child), 0);
        bench.seal();
        QCOMPARE(bench.record.counted("syscall-denied"), std::uint64_t{kCalls});
        QVERIFY(bench.record.events.size() < 100);
        double median = 0;
        std::ifstream(times) >> median;
        std::filesystem::remove(times);
        qInfo("median of a denied call, answered and counted: %.1f us", median);
    }

    void a_program_that_was_executed_meanwhile_is_not_mistaken() {
        // The same process makes a call, execs perl, which makes it again, and execs itself with other arguments.
        FilteredChild child([] {
            denied_call(7);
            ::execl("/usr/bin/perl", "perl", "-e",
                    "syscall(167, 7, 0); exec('perl', '-e', 'syscall(167, 7, 0)', 'second')", nullptr);
            return 1;
        });
        Bench bench(child);
        QCOMPARE(bench.run(child), 0);
        bench.seal();
        std::vector<std::string> seen;
        for (const NewEvent& event : bench.record.of("syscall-denied"))
            seen.push_back(event.fields["exe"].get<std::string>() + " " +
                           event.fields["argv"].back().get<std::string>());
        QCOMPARE(seen.size(), 3u);
        QVERIFY(seen[0].find("perl") == std::string::npos);
        QVERIFY(seen[1].find("perl") != std::string::npos && !seen[1].ends_with("second"));
        QVERIFY(seen[2].find("perl") != std::string::npos && seen[2].ends_with("second"));
    }

    void a_thread_is_recorded_as_its_process() {
        FilteredChild child([] {
            std::thread([] { denied_call(1); }).join();
            return 0;
        });
        const pid_t pid = child.pid();
        Bench bench(child);
        QCOMPARE(bench.run(child), 0);
        bench.seal();
        QCOMPARE(bench.record.of("syscall-denied").at(0).fields["pid"].get<int>(), pid);
    }

    void many_short_processes_are_each_named() {
        FilteredChild child([] {
            for (int i = 0; i < 300; ++i) {
                const pid_t pid = ::fork();
                if (pid == 0) ::_exit(denied_call(1) == EPERM ? 0 : 1);
                int status = 0;
                ::waitpid(pid, &status, 0);
                if (status != 0) return 1;
            }
            return 0;
        });
        Bench bench(child);
        QCOMPARE(bench.run(child), 0);
        bench.seal();
        QCOMPARE(bench.record.counted("syscall-denied"), 300u);
    }

    void a_caller_killed_while_it_waits_does_no_harm() {
        FilteredChild child([] {
            denied_call(1);
            return 0;
        });
        Bench bench(child);
        child.kill();
        QCOMPARE(bench.run(child), 128 + SIGKILL);
    }

    void closing_the_listener_answers_ENOSYS() {
        FilteredChild child([] {
            if (denied_call(1) != EPERM) return 1;
            for (int i = 0; i < 2000; ++i) {
                if (denied_call(1) == ENOSYS) return 42;
                ::usleep(1000);
            }
            return 2;
        });
        Bench bench(child);
        bench.loop.run_for(20ms);
        bench.notifications->close();
        QCOMPARE(bench.run(child), 42);
    }

    void what_is_no_listener_is_refused() {
        boost::asio::io_context loop;
        auto pipe = make_pipe();
        QVERIFY(!Notifications::make(loop, std::move(pipe->first), [](const NotifiedCall&) {}));
    }
};

QTEST_GUILESS_MAIN(NotificationsTest)
#include "notifications_test.moc"
