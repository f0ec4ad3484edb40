// Reads event by event in pages of its own, each page in a short read transaction: a reader that lingers must not keep
// the writer from folding its WAL.
#include "core/record/reader.h"

#include "core/record/chain.h"
#include "core/record/event_bytes.h"
#include "core/record/schema.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

namespace belljar {
namespace {

constexpr int kPage = 512;                   // events in one read transaction,
constexpr std::size_t kPageBytes = 4u << 20; // or as many as fill this

std::string column_bytes(SQLite::Statement& row, int index) {
    const SQLite::Column column = row.getColumn(index);
    const void* bytes = column.getBlob();
    return bytes == nullptr ? std::string()
                            : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(column.getBytes()));
}

class SqliteRecordReader final : public RecordReader {
public:
    SqliteRecordReader(std::string path, std::unique_ptr<SQLite::Database> database)
        : path_(std::move(path)), database_(std::move(database)),
          page_(*database_, "SELECT seq,bytes FROM event WHERE seq>? ORDER BY seq LIMIT ?"),
          last_(*database_, "SELECT max(seq) FROM event") {
        last_sequence();
        if (auto first = read_page(0, 1); first && !first->empty())
            if (const Json event = first->front().parsed(); event.contains("id") && event["id"].is_string())
                session_id_ = event["id"].get<std::string>();
    }

    std::string session_id() const override { return session_id_; }

    std::uint64_t last_sequence() const override {
        const Finished finished{last_};
        return last_.executeStep() ? static_cast<std::uint64_t>(last_.getColumn(0).getInt64()) : 0;
    }

    Status for_each(std::uint64_t after, const std::function<bool(const StoredEvent&)>& each) const override {
        for (;;) {
            const auto page = read_page(after, kPage);
            if (!page) return tl::unexpected(page.error());
            for (const StoredEvent& event : *page)
                if (!each(event)) return {};
            if (page->empty()) return {};
            after = page->back().seq;
        }
    }

    std::optional<Seal> seal() const override {
        try {
            SQLite::Statement row(*database_, "SELECT count,hash,signature FROM seal");
            if (!row.executeStep()) return std::nullopt;
            const std::string hash = column_bytes(row, 1), signature = column_bytes(row, 2);
            const auto hex = [](const std::string& bytes) {
                return to_hex(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
            };
            return Seal{static_cast<std::uint64_t>(row.getColumn(0).getInt64()), hex(hash), hex(signature)};
        } catch (const SQLite::Exception&) {
            return std::nullopt; // unreadable: not sealed as far as anyone can tell; verify_record says why
        }
    }

private:
    struct Finished { // ends the read transaction
        SQLite::Statement& statement;
        ~Finished() { statement.tryReset(); }
    };

    Result<std::vector<StoredEvent>> read_page(std::uint64_t after, int count) const {
        std::vector<StoredEvent> events;
        if (after > static_cast<std::uint64_t>(INT64_MAX)) return events;
        try {
            const Finished finished{page_};
            page_.bind(1, static_cast<std::int64_t>(after));
            page_.bind(2, count);
            for (std::size_t held = 0; held < kPageBytes && page_.executeStep(); held += events.back().bytes.size())
                events.push_back({static_cast<std::uint64_t>(page_.getColumn(0).getInt64()), column_bytes(page_, 1)});
        } catch (const SQLite::Exception& error) {
            return sqlite_failure("read record " + path_, error);
        }
        return events;
    }

    std::string path_, session_id_;
    std::unique_ptr<SQLite::Database> database_;
    mutable SQLite::Statement page_, last_;
};

} // namespace

Json StoredEvent::parsed() const {
    if (auto object = parse_event_bytes(bytes)) return std::move(*object);
    return {{"seq", seq}, {"time", ""}, {"kind", "damaged"}};
}

Result<std::unique_ptr<RecordReader>> RecordReader::open(const std::string& record_path) {
    auto database = open_record(record_path, false);
    if (!database) return tl::unexpected(database.error().error);
    try {
        return std::make_unique<SqliteRecordReader>(record_path, std::move(*database));
    } catch (const SQLite::Exception& error) {
        return sqlite_failure("read record " + record_path, error);
    }
}

} // namespace belljar
