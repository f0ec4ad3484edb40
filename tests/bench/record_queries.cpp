// What the window asks of a record of N events (1,000,000 unless said): bench_record_queries FOLDER [N]. The record stays in
// the folder; one that is there already is taken as it is. Milliseconds, and the most memory that was used.
#include "core/record/query.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace belljar;

namespace {

bool write_record(const std::string& folder, int events) {
    if (::mkdir(folder.c_str(), 0700) != 0) return errno == EEXIST;
    const std::int64_t start = 1'900'000'000'000'000;
    auto writer = RecordWriter::create(folder, "0123456789ab", {"session-started", {{"name", "bench"}, {"argv", {"true"}}}, start});
    if (!writer) return false;
    for (int at = 1; at < events;) {
        std::vector<NewEvent> batch;
        for (; at < events && batch.size() < 1000; ++at) {
            const std::int64_t time = start + at * 1000LL;
            if (at % 3 == 2)
                batch.push_back({"egress-closed", {{"conn", at - 1}, {"bytes_sent", 500}, {"bytes_received", 9000}, {"duration_ms", 800}}, time});
            else
                batch.push_back({"egress", {{"conn", at}, {"verdict", at % 3 == 0 ? "denied" : "allowed"},
                                            {"host", fmt::format("h{}.example.net", at % 50)}, {"port", 443}, {"pid", 14},
                                            {"exe", "/usr/bin/curl"}, {"argv", {"curl", "-sS", "https://example.net/some/path"}},
                                            {"rule", ""}, {"reason", "no rule allows it"}}, time});
        }
        if (!(*writer)->append(std::span<const NewEvent>(batch))) return false;
    }
    if (!(*writer)->seal({"session-ended", {{"status", 0}}, start + events * 1000LL})) return false;
    (*writer)->finish();
    return true;
}

template <class Question>
void timed(const char* what, Question question) {
    const auto before = std::chrono::steady_clock::now();
    const bool good = question();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    std::printf("%-34s %9.1f ms  %5ld MiB%s\n", what, took.count(), used.ru_maxrss / 1024, good ? "" : "  FAILED");
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::string folder = argv[1];
    int events = argc > 2 ? std::atoi(argv[2]) : 1'000'000;
    if (!write_record(folder, events)) return 1;
    std::unique_ptr<RecordQuery> query;
    timed("open", [&] {
        auto opened = RecordQuery::open(folder + "/record.db");
        if (opened) query = std::move(*opened);
        return query != nullptr;
    });
    if (!query) return 1;
    events = static_cast<int>(query->last_sequence());
    std::printf("%d events\n", events);
    const auto page = [&](const EventFilter& filter, EventOrder order, std::uint64_t behind) {
        return query->page(filter, order, behind == 0 ? std::nullopt : std::optional(EventCursor{"", behind}), 0, 200).has_value();
    };
    const std::int64_t end = 1'900'000'000'000'000 + events * 1000LL;
    timed("first page of connections", [&] { return page({.kinds = {"egress"}}, EventOrder::Newest, 0); });
    timed("a page in the middle", [&] { return page({.kinds = {"egress"}}, EventOrder::Newest, static_cast<std::uint64_t>(events) / 2); });
    timed("traffic of the last hour", [&] { return query->traffic(end - 3'600'000'000, end, 360).has_value(); });
    timed("traffic of the last minute", [&] { return query->traffic(end - 60'000'000, end, 60).has_value(); });
    timed("a text that is nowhere", [&] { return page({.text = "nowhere at all"}, EventOrder::Newest, 0); });
    timed("first page by host", [&] { return page({.kinds = {"egress"}}, EventOrder::Host, 0); });
    timed("denials, folded", [&] { return query->denials({}, 0).has_value(); });
    timed("count of the denied", [&] { return query->count({.verdict = "denied"}, 0).has_value(); });
    return 0;
}
