#include "core/record/schema.h"

#include "core/record/event_bytes.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <optional>
#include <sqlite3.h>
#include <sys/stat.h>

namespace belljar {

// No index and no stored column: whatever can be queried is computed from `bytes` when it is read, so it cannot be
// edited alone, and appending writes one page.
const std::array<TableText, 2> kRecordTables{{
    {"event", "CREATE TABLE event("
              "seq INTEGER PRIMARY KEY,"
              "bytes TEXT NOT NULL,"
              "hash BLOB NOT NULL,"
              "kind TEXT AS (bytes->>'$.kind'),"
              "time TEXT AS (bytes->>'$.time'),"
              "verdict TEXT AS (bytes->>'$.verdict'),"
              "host TEXT AS (CASE bytes->>'$.kind' WHEN 'dns' THEN bytes->>'$.name' ELSE bytes->>'$.host' END),"
              "port INTEGER AS (bytes->>'$.port'),"
              "conn INTEGER AS (bytes->>'$.conn'),"
              "syscall TEXT AS (bytes->>'$.syscall'),"
              "pid INTEGER AS (bytes->>'$.pid'),"
              "exe TEXT AS (bytes->>'$.exe'),"
              "count INTEGER AS (coalesce(bytes->>'$.count',1))"
              ") STRICT"},
    {"seal", "CREATE TABLE seal("
             "one INTEGER PRIMARY KEY CHECK(one=1),"
             "count INTEGER NOT NULL,"
             "hash BLOB NOT NULL,"
             "signature BLOB NOT NULL"
             ") STRICT"},
}};

tl::unexpected<Error> sqlite_failure(std::string what, const SQLite::Exception& error) {
    switch (error.getErrorCode()) { // SQLite's codes are numbers, not an enum
    case SQLITE_FULL:
        return tl::unexpected(Error{std::move(what), "the disk is full", "free some space", ENOSPC});
    case SQLITE_NOTADB:
        return failure(std::move(what), "not an SQLite database");
    case SQLITE_CORRUPT:
        return failure(std::move(what), "damaged or cut short");
    case SQLITE_BUSY:
        return failure(std::move(what), "locked by another process");
    default:
        return failure(std::move(what), error.what());
    }
}

namespace {

using Opened = std::unique_ptr<SQLite::Database>;

std::string escape_uri(const std::string& path) {
    std::string out;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return out;
}

enum class Access { Shared, Alone, Immutable };

Opened open_as(const std::string& path, Access access, bool tolerant) {
    const int flags = SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLITE_OPEN_NOMUTEX;
    std::string uri = "file:" + escape_uri(path);
    if (access == Access::Alone) uri += "?vfs=unix-none"; // no locks, hence no shared memory: wal.html, section 8
    if (access == Access::Immutable) uri += "?immutable=1";
    auto database = std::make_unique<SQLite::Database>(uri, flags, 5000);
    sqlite3* handle = database->getHandle();
    // TRUSTED_SCHEMA=0 would refuse our own generated columns (->> is not on SQLite's list of innocuous functions);
    // what it guards against cannot happen here: this connection has no functions but SQLite's, and reads no generated
    // column.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(2 * kMaxEventBytes));
    database->exec("PRAGMA temp_store=MEMORY");
    if (access == Access::Alone) database->exec("PRAGMA locking_mode=EXCLUSIVE");
    // On a connection that cannot write, this only makes SQLite read a file that is shorter than its header says.
    if (tolerant) database->exec("PRAGMA writable_schema=1");
    database->execAndGet("SELECT count(*) FROM sqlite_schema"); // the first read: locks, WAL, header
    return database;
}

bool cannot_write_beside(const SQLite::Exception& error) {
    const int code = error.getErrorCode();
    return code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM;
}

// Whether there is a WAL, and how long it is. While a writer lives there is one, be it empty.
std::optional<off_t> wal_size(const std::string& path) {
    struct stat st {};
    if (::stat((path + "-wal").c_str(), &st) != 0) return std::nullopt;
    return st.st_size;
}

Opened open_somehow(const std::string& path, bool tolerant) {
    if (!wal_size(path)) { // folded: once sealed it never changes again, and nothing need be made beside it
        Opened database = open_as(path, Access::Immutable, tolerant);
        if (database->tableExists("seal") && database->execAndGet("SELECT count(*) FROM seal").getInt() == 1)
            return database;
    }
    try {
        return open_as(path, Access::Shared, tolerant);
    } catch (const SQLite::Exception& error) {
        if (!cannot_write_beside(error)) throw;
        return open_as(path, wal_size(path).value_or(0) > 0 ? Access::Alone : Access::Immutable, tolerant);
    }
}

} // namespace

tl::expected<Opened, RecordOpenError> open_record(const std::string& path, bool tolerant) {
    const std::string what = "open record " + path;
    const auto refuse = [](RecordFault fault, tl::unexpected<Error> error) {
        return tl::unexpected(RecordOpenError{fault, std::move(error.value())});
    };
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) return refuse(RecordFault::Missing, system_failure(what));
    if (!S_ISREG(st.st_mode)) return refuse(RecordFault::Foreign, failure(what, "not a regular file"));
    if (st.st_size == 0) return refuse(RecordFault::Damaged, failure(what, "empty"));
    Opened database;
    try {
        database = open_somehow(path, tolerant);
        const int application = database->execAndGet("PRAGMA application_id").getInt();
        const int format = database->execAndGet("PRAGMA user_version").getInt();
        if (application != kRecordApplication)
            return refuse(RecordFault::Foreign, failure(what, "an SQLite database, but no record of Belljar"));
        if (format > kRecordFormat)
            return refuse(
                RecordFault::Newer,
                failure(what, fmt::format("written by a newer Belljar (format {})", format), "update Belljar"));
        if (format != kRecordFormat)
            return refuse(RecordFault::Damaged, failure(what, fmt::format("there never was a format {}", format)));
    } catch (const SQLite::Exception& error) {
        const int code = error.getErrorCode();
        if (code == SQLITE_NOTADB) return refuse(RecordFault::Foreign, sqlite_failure(what, error));
        if (code == SQLITE_CANTOPEN || code == SQLITE_PERM || code == SQLITE_BUSY)
            return refuse(RecordFault::Missing, sqlite_failure(what, error));
        return refuse(RecordFault::Damaged, sqlite_failure(what, error));
    }
    return database;
}

} // namespace belljar
