// The generated columns of the table fail on bytes that are no JSON. So every question looks at `j`, which is an empty object for
// those: one damaged event must not hide the rest.
#include "core/record/query.h"

#include "core/record/event_bytes.h"
#include "core/record/schema.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <fmt/format.h>
#include <sqlite3.h>

namespace belljar {
namespace {

constexpr const char* kEvents = "(SELECT seq,bytes,CASE WHEN json_valid(bytes) THEN bytes ELSE '{}' END AS j FROM event)";
constexpr const char* kHost = "coalesce(j->>'$.host',j->>'$.name',j->>'$.ip','')";
constexpr const char* kKind = "coalesce(j->>'$.kind','damaged')";
constexpr const char* kDenied = "(j->>'$.verdict'='denied' OR j->>'$.kind'='syscall-denied')";
constexpr int kStepsBetweenLooks = 20'000; // of SQLite's machine: some milliseconds

const char* key_of(EventOrder order) {
    switch (order) {
    case EventOrder::Newest: return "''";
    case EventOrder::Host: return kHost;
    case EventOrder::Process: return "coalesce(j->>'$.exe','')";
    case EventOrder::Verdict: return "coalesce(j->>'$.verdict','')";
    case EventOrder::Rule: return "coalesce(j->>'$.rule','')";
    }
    return "''";
}

std::string bytes_at(SQLite::Statement& row, int index) {
    const SQLite::Column column = row.getColumn(index);
    const void* bytes = column.getBlob();
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(column.getBytes()));
}

std::uint64_t number_at(SQLite::Statement& row, int index) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.getColumn(index).getInt64()));
}

std::int64_t bound(std::uint64_t number) { return static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX)); }

// Conditions with their values, so that no text of a person or of a session becomes SQL.
struct Where {
    std::string sql = "1";
    std::vector<std::string> texts;

    void add(std::string_view condition, const std::string& value) {
        sql += fmt::format(" AND {}", condition);
        texts.push_back(value);
    }
    int bind(SQLite::Statement& statement, int at) const {
        for (const std::string& text : texts)
            statement.bind(at++, text);
        return at;
    }
};

Where where(const EventFilter& filter) {
    Where out;
    if (!filter.kinds.empty()) out.add(fmt::format("{} IN (SELECT value FROM json_each(?))", kKind), Json(filter.kinds).dump());
    if (!filter.verdict.empty()) out.add("j->>'$.verdict'=?", filter.verdict);
    if (!filter.host.empty()) out.add(fmt::format("instr(lower({}),lower(?))>0", kHost), filter.host);
    if (!filter.process.empty())
        out.add("instr(lower(coalesce(j->>'$.exe','')||' '||coalesce(j->>'$.argv','')),lower(?))>0", filter.process);
    if (!filter.text.empty()) out.add("instr(lower(bytes),lower(?))>0", filter.text);
    if (filter.since_us != 0) out.add("j->>'$.time'>=?", format_time(filter.since_us));
    if (filter.until_us != 0) out.add("j->>'$.time'<?", format_time(filter.until_us));
    if (filter.conn) out.add("j->>'$.conn'=CAST(? AS INTEGER)", std::to_string(*filter.conn));
    if (filter.up_to != 0) out.add("seq<=CAST(? AS INTEGER)", std::to_string(filter.up_to));
    return out;
}

class SqliteRecordQuery final : public RecordQuery {
public:
    SqliteRecordQuery(std::string path, std::unique_ptr<SQLite::Database> database)
        : path_(std::move(path)), database_(std::move(database)) {
        sqlite3_progress_handler(database_->getHandle(), kStepsBetweenLooks, [](void* self) {
            const auto& wanted = static_cast<SqliteRecordQuery*>(self)->wanted_;
            return wanted && !wanted() ? 1 : 0;
        }, this);
    }

    void set_wanted(std::function<bool()> wanted) override { wanted_ = std::move(wanted); }

    std::uint64_t last_sequence() const override {
        return asked([&] { return static_cast<std::uint64_t>(database_->execAndGet("SELECT max(seq) FROM event").getInt64()); })
            .value_or(0);
    }
    bool sealed() const override {
        return asked([&] { return database_->execAndGet("SELECT count(*) FROM seal").getInt() == 1; }).value_or(false);
    }

    Result<EventPage> page(const EventFilter& filter, EventOrder order, const std::optional<EventCursor>& behind,
                           std::uint64_t after, int limit) const override {
        return asked([&] {
            const int most = std::clamp(limit, 1, kMostPage);
            const Where which = where(filter);
            const bool newest = order == EventOrder::Newest;
            const std::string key = key_of(order);
            std::string sql = fmt::format("SELECT seq,CAST(bytes AS BLOB),{} FROM {} WHERE {} AND seq>?", key, kEvents, which.sql);
            if (behind) sql += newest ? " AND seq<?" : fmt::format(" AND ({0}>? OR ({0}=? AND seq<?))", key);
            sql += newest ? " ORDER BY seq DESC LIMIT ?" : fmt::format(" ORDER BY {} ASC,seq DESC LIMIT ?", key);
            SQLite::Statement row(*database_, sql);
            int at = which.bind(row, 1);
            row.bind(at++, bound(after));
            if (behind && !newest) row.bind(at++, behind->key), row.bind(at++, behind->key);
            if (behind) row.bind(at++, bound(behind->seq));
            row.bind(at, most + 1);
            EventPage out;
            while (row.executeStep()) {
                if (static_cast<int>(out.events.size()) == most) {
                    out.more = true;
                    break;
                }
                out.events.push_back({number_at(row, 0), bytes_at(row, 1)});
                out.next = {bytes_at(row, 2), out.events.back().seq};
            }
            return out;
        });
    }

    Result<std::uint64_t> count(const EventFilter& filter, std::uint64_t after) const override {
        return asked([&] {
            const Where which = where(filter);
            SQLite::Statement row(*database_, fmt::format("SELECT count(*) FROM {} WHERE {} AND seq>?", kEvents, which.sql));
            row.bind(which.bind(row, 1), bound(after));
            return row.executeStep() ? number_at(row, 0) : 0;
        });
    }

    Result<std::vector<DenialFold>> denials(const EventFilter& filter, std::uint64_t after) const override {
        return asked([&] {
            const Where which = where(filter);
            // Of a bare column beside max() SQLite takes the row of the maximum (lang_select.html, "bare columns").
            SQLite::Statement row(
                *database_,
                fmt::format("SELECT {0} k,CASE {0} WHEN 'syscall-denied' THEN coalesce(j->>'$.syscall','') ELSE {1} END w,"
                            "coalesce(j->>'$.reason','') r,sum(max(1,CAST(coalesce(j->>'$.count',1) AS INTEGER))) n,min(seq),"
                            "max(seq),min(j->>'$.time'),j->>'$.time',CAST(bytes AS BLOB) FROM {2} WHERE {3} AND {4} AND seq>? "
                            "GROUP BY k,w,CASE k WHEN 'syscall-denied' THEN '' ELSE r END ORDER BY n DESC,w LIMIT ?",
                            kKind, kHost, kEvents, which.sql, kDenied));
            const int at = which.bind(row, 1);
            row.bind(at, bound(after));
            row.bind(at + 1, kMostFolds);
            std::vector<DenialFold> out;
            while (row.executeStep())
                out.push_back({bytes_at(row, 0), bytes_at(row, 1), bytes_at(row, 2), number_at(row, 3), number_at(row, 4),
                               number_at(row, 5), bytes_at(row, 6), bytes_at(row, 7), bytes_at(row, 8)});
            return out;
        });
    }

    Result<Traffic> traffic(std::int64_t since_us, std::int64_t until_us, int bins) const override {
        return asked([&] {
            const int count = std::clamp(bins, 1, kMostBins);
            Traffic out{since_us, std::max<std::int64_t>(1, (until_us - since_us) / count), {}};
            // A close names only its connection; the host stands in the event that opened it. One pass, in order: a join of the
            // two takes minutes on a million events, since the record has no index.
            SQLite::Statement row(
                *database_,
                fmt::format("SELECT j->>'$.kind'='egress',j->>'$.conn',j->>'$.time',"
                            "coalesce(j->>'$.bytes_sent',0)+coalesce(j->>'$.bytes_received',0),coalesce(j->>'$.duration_ms',0),{1} "
                            "FROM {0} WHERE seq>=? AND (j->>'$.kind'='egress-closed' OR "
                            "(j->>'$.kind'='egress' AND j->>'$.verdict'='allowed')) ORDER BY seq",
                            kEvents, kHost));
            row.bind(1, first_at(since_us) - kLookBack);
            std::map<std::uint64_t, std::string> open;
            while (row.executeStep()) {
                const std::uint64_t conn = number_at(row, 1);
                if (row.getColumn(0).getInt() == 1) {
                    open[conn] = bytes_at(row, 5);
                    continue;
                }
                const auto opened = open.extract(conn);
                const auto end = parse_time(bytes_at(row, 2));
                if (!end || *end < since_us) continue;
                const double bytes = static_cast<double>(number_at(row, 3));
                const double last = static_cast<double>(*end - since_us) / static_cast<double>(out.bin_us);
                const double span = static_cast<double>(number_at(row, 4)) * 1000.0 / static_cast<double>(out.bin_us);
                const std::string host = opened.empty() ? std::string() : opened.mapped();
                auto& line = out.by_host.try_emplace(host, static_cast<std::size_t>(count), 0.0).first->second;
                spread(line, last - span, last, bytes);
            }
            return out;
        });
    }

    Result<std::vector<std::int64_t>> denial_marks(std::int64_t since_us, std::int64_t until_us) const override {
        return asked([&] {
            SQLite::Statement row(*database_, fmt::format("SELECT j->>'$.time' FROM {} WHERE {} AND j->>'$.time'>=? AND "
                                                          "j->>'$.time'<? ORDER BY seq DESC LIMIT ?", kEvents, kDenied));
            row.bind(1, format_time(since_us));
            row.bind(2, format_time(until_us));
            row.bind(3, kMostMarks);
            std::vector<std::int64_t> out;
            while (row.executeStep())
                if (const auto time = parse_time(bytes_at(row, 0))) out.push_back(*time);
            return out;
        });
    }

    Result<std::map<std::uint64_t, ConnectionEnd>> ends(const std::vector<std::uint64_t>& connections,
                                                        std::uint64_t after) const override {
        return asked([&] {
            std::map<std::uint64_t, ConnectionEnd> out;
            if (connections.empty()) return out;
            SQLite::Statement row(
                *database_, fmt::format("SELECT j->>'$.conn',seq,j->>'$.bytes_sent',j->>'$.bytes_received',j->>'$.duration_ms',"
                                        "j->>'$.reason' FROM {} WHERE seq>? AND j->>'$.kind'='egress-closed' AND j->>'$.conn' IN "
                                        "(SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?", kEvents));
            row.bind(1, bound(after));
            row.bind(2, Json(connections).dump());
            row.bind(3, static_cast<std::int64_t>(connections.size()));
            while (row.executeStep())
                out[number_at(row, 0)] = {number_at(row, 1), number_at(row, 2), number_at(row, 3), number_at(row, 4), bytes_at(row, 5)};
            return out;
        });
    }

private:
    // About where the span begins: 20 looks instead of a million. Times rise with the numbers, unless a clock was set back.
    std::int64_t first_at(std::int64_t time_us) const {
        SQLite::Statement row(*database_, fmt::format("SELECT j->>'$.time' FROM {} WHERE seq=?", kEvents));
        std::int64_t low = 1, high = database_->execAndGet("SELECT max(seq) FROM event").getInt64() + 1;
        const std::string wanted = format_time(time_us);
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            row.bind(1, middle);
            const bool before = row.executeStep() && bytes_at(row, 0) < wanted;
            row.reset();
            (before ? low : high) = before ? middle + 1 : middle;
        }
        return low;
    }

    static void spread(std::vector<double>& line, double from, double to, double bytes) {
        const double size = static_cast<double>(line.size());
        if (to < 0 || from >= size) return;
        if (to - from < 1e-9) {
            if (to < size) line[static_cast<std::size_t>(to)] += bytes;
            return;
        }
        for (auto bin = static_cast<std::size_t>(std::max(0.0, from)); bin < line.size() && static_cast<double>(bin) < to; ++bin) {
            const double start = static_cast<double>(bin);
            line[bin] += bytes * (std::min(to, start + 1) - std::max(from, start)) / (to - from);
        }
    }

    template <class Question>
    auto asked(Question question) const -> Result<decltype(question())> {
        try {
            return question();
        } catch (const SQLite::Exception& error) {
            if (error.getErrorCode() == SQLITE_INTERRUPT) return failure("read record " + path_, "no longer wanted");
            return sqlite_failure("read record " + path_, error);
        }
    }

    std::string path_;
    std::unique_ptr<SQLite::Database> database_;
    std::function<bool()> wanted_;
};

} // namespace

Result<std::unique_ptr<RecordQuery>> RecordQuery::open(const std::string& record_path) {
    auto database = open_record(record_path, false);
    if (!database) return tl::unexpected(database.error().error);
    return std::make_unique<SqliteRecordQuery>(record_path, std::move(*database));
}

} // namespace belljar
