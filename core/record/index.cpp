// The index is a cache: every call is one transaction, and a file that turns out to be damaged is set aside and made
// anew from the records, once, by whoever gets the repair lock first. Every call holds that lock shared (flock(2)), so
// no transaction is under way on either file while one takes the other's place. A rollback journal rather than a WAL:
// it is one small file with many short writers, and to set it aside is one rename.
#include "core/record/index.h"

#include "core/record/announcement.h"
#include "core/record/event_bytes.h"
#include "core/record/lifecycle.h"
#include "core/record/schema.h"
#include "core/session/identity.h"
#include "core/system/files.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unordered_set>

namespace belljar {
namespace {

constexpr int kIndexFormat = 1;
constexpr std::size_t kNamedCandidates = 8;      // as many does an error list
constexpr std::size_t kTakeInAbove = 256 * 1024; // bytes announced: somebody who never lists has no use for them
constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS session("
    "id TEXT PRIMARY KEY, name TEXT NOT NULL, command TEXT NOT NULL, workspace TEXT NOT NULL,"
    "policy TEXT NOT NULL, public_key TEXT NOT NULL, started_us INTEGER NOT NULL,"
    "ended_us INTEGER NOT NULL DEFAULT 0, state INTEGER NOT NULL DEFAULT 0, status INTEGER,"
    "reason TEXT NOT NULL DEFAULT '', allowed INTEGER NOT NULL DEFAULT 0,"
    "denied INTEGER NOT NULL DEFAULT 0, calls_denied INTEGER NOT NULL DEFAULT 0,"
    "bytes_sent INTEGER NOT NULL DEFAULT 0, bytes_received INTEGER NOT NULL DEFAULT 0,"
    "sealed INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS session_started ON session(started_us DESC);"
    "CREATE INDEX IF NOT EXISTS session_name ON session(name);";
constexpr std::size_t kMaxNameFile = 1024;
constexpr const char* kColumns = "id,name,command,workspace,policy,public_key,started_us,ended_us,state,status,reason,"
                                 "allowed,denied,calls_denied,bytes_sent,bytes_received,sealed";

using Rows = std::vector<SessionRow>;

SessionRow row_from(SQLite::Statement& from) {
    const auto text = [&](int column) { return from.getColumn(column).getString(); };
    const auto number = [&](int column) { return from.getColumn(column).getInt64(); };
    const auto total = [&](int column) { return static_cast<std::uint64_t>(number(column)); };
    SessionRow row{text(0), text(1), text(2), text(3), text(4), text(5), number(6), number(7)};
    const auto state = number(8);
    row.state = state >= 0 && state <= static_cast<int>(SessionState::Lost) ? static_cast<SessionState>(state)
                                                                            : SessionState::Starting;
    if (!from.getColumn(9).isNull()) row.status = from.getColumn(9).getInt();
    row.reason = text(10);
    row.totals = {total(11), total(12), total(13), total(14), total(15)};
    row.sealed = number(16) != 0;
    return row;
}

void store(SQLite::Database& database, const SessionRow& row) {
    SQLite::Statement put(
        database,
        fmt::format("INSERT OR REPLACE INTO session({}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", kColumns));
    int at = 0;
    for (const std::string* text : {&row.id, &row.name, &row.command, &row.workspace, &row.policy, &row.public_key})
        put.bindNoCopy(++at, *text);
    put.bind(++at, row.started_us);
    put.bind(++at, row.ended_us);
    put.bind(++at, static_cast<int>(row.state));
    ++at;
    if (row.status) put.bind(at, *row.status);
    put.bindNoCopy(++at, row.reason);
    for (const std::uint64_t total : {row.totals.allowed, row.totals.denied, row.totals.calls_denied,
                                      row.totals.bytes_sent, row.totals.bytes_received})
        put.bind(++at, static_cast<std::int64_t>(total));
    put.bind(++at, row.sealed ? 1 : 0);
    put.exec();
}

Rows select(SQLite::Database& database, const std::string& rest, const std::string& argument = {}) {
    SQLite::Statement query(database, fmt::format("SELECT {} FROM session {}", kColumns, rest));
    if (query.getBindParameterCount() > 0) query.bindNoCopy(1, argument);
    Rows rows;
    while (query.executeStep())
        rows.push_back(row_from(query));
    return rows;
}

std::vector<std::string> session_folders(const Paths& paths) {
    std::vector<std::string> ids;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(paths.sessions().c_str()), &::closedir);
    if (!folder) return ids;
    while (const dirent* entry = ::readdir(folder.get()))
        if (is_session_id(entry->d_name)) ids.emplace_back(entry->d_name);
    return ids;
}

// A name that was given later: it is not in the record, and the index may be lost.
std::string name_file(const Paths& paths, const std::string& id) {
    return paths.session(id) + "/name";
}

std::string given_name(const Paths& paths, const std::string& id) {
    auto name = read_file_below(paths.session(id), "name", kMaxNameFile);
    if (!name) return {};
    while (name->ends_with('\n'))
        name->pop_back();
    return check_session_name(*name) ? *name : std::string();
}

// SQLITE_ERROR is "no such table" and the like: our statements are constant, so it is the file that is not as we made
// it.
bool is_damage(const SQLite::Exception& error) {
    const int code = error.getErrorCode();
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR ||
           error.getExtendedErrorCode() == SQLITE_READONLY_DBMOVED; // another process has set it aside
}

} // namespace

struct SessionIndex::Impl {
    Paths paths;
    UniqueFd turn; // index.repair
    std::unique_ptr<SQLite::Database> database;
    std::string notice;

    // Throws SQLite::Exception.
    Status connect() {
        database = std::make_unique<SQLite::Database>(
            paths.index(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 5000);
        database->exec("PRAGMA synchronous=OFF;PRAGMA temp_store=MEMORY");
        const int format = database->execAndGet("PRAGMA user_version").getInt();
        if (format > kIndexFormat)
            return failure("open index " + paths.index(), fmt::format("written by a newer Belljar (format {})", format),
                           "update Belljar, or remove it: it is rebuilt from the records");
        if (format == kIndexFormat) return {};
        return write([&] {
            database->exec(kTables);
            for (const std::string& id : session_folders(paths))
                adopt(id);
            database->exec(fmt::format("PRAGMA user_version={}", kIndexFormat));
        });
    }

    Status write(const std::function<void()>& work) {
        database->exec("BEGIN IMMEDIATE");
        try {
            work();
            database->exec("COMMIT");
        } catch (const SQLite::Exception&) {
            if (sqlite3_get_autocommit(database->getHandle()) == 0)
                sqlite3_exec(database->getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
            throw;
        }
        return {};
    }

    Status take_turn(int how) {
        if (!turn)
            turn.reset(
                ::open((paths.state + "/index.repair").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        while (turn && ::flock(turn.get(), how) != 0)
            if (errno != EINTR) return system_failure("lock " + paths.state + "/index.repair");
        return turn ? Status() : system_failure("open " + paths.state + "/index.repair");
    }

    // Runs `work` on the open index, and once more after a repair when the file turns out to be damaged.
    template <class Work>
    auto guarded(const std::string& what, Work work) -> decltype(work()) {
        if (Status mine = take_turn(LOCK_SH); !mine) return tl::unexpected(mine.error());
        const auto done = [&](auto result) {
            ::flock(turn.get(), LOCK_UN);
            return result;
        };
        try {
            try {
                if (Status there = database ? Status() : connect(); !there)
                    return done(decltype(work())(tl::unexpected(there.error())));
                return done(work());
            } catch (const SQLite::Exception& error) {
                if (!is_damage(error)) throw;
                if (Status repaired = repair(); !repaired)
                    return done(decltype(work())(tl::unexpected(repaired.error())));
                return done(work());
            }
        } catch (const SQLite::Exception& error) {
            return done(decltype(work())(sqlite_failure(what, error)));
        }
    }

    Status repair() {
        database.reset();
        if (Status mine = take_turn(LOCK_EX); !mine) return mine;
        if (sound()) return connect(); // another process was faster
        const std::string aside = fmt::format("{}.corrupt-{}", paths.index(), format_time(now_us()));
        if (::rename(paths.index().c_str(), aside.c_str()) != 0) return system_failure("set aside " + paths.index());
        // It belongs to the old file; on the new one it would be played back.
        ::unlink((paths.index() + "-journal").c_str());
        notice = fmt::format("the index was damaged: it is kept as {} and was rebuilt from the records", aside);
        return connect();
    }

    bool sound() {
        try {
            SQLite::Database found(paths.index(), SQLite::OPEN_READONLY, 5000);
            return found.execAndGet("PRAGMA quick_check(1)").getString() == "ok" && found.tableExists("session");
        } catch (const SQLite::Exception&) {
            return false;
        }
    }

    // A folder without a beginning, seen between mkdir(2) and the announcement that has its name: taken for a lost
    // session now, it would stay a nameless one. Gone meanwhile: the same. The next look will tell.
    bool is_being_made(const SessionRow& row) const {
        if (row.state == SessionState::Starting) return true;
        struct stat st {};
        if (::stat(paths.session(row.id).c_str(), &st) != 0) return true;
        const std::int64_t age_us = now_us() - (st.st_mtim.tv_sec * 1'000'000LL + st.st_mtim.tv_nsec / 1000);
        return age_us < kStartingMicroseconds &&
               ::access((paths.session(row.id) + "/" + kRecordFile).c_str(), F_OK) != 0;
    }

    // A session that the index does not know: everything from its folder. Keeps a name that was given before.
    void adopt(const std::string& id, std::string name = {}) {
        SessionRow row;
        row.id = id;
        row.name = name.empty() ? given_name(paths, id) : std::move(name);
        refresh_from_folder(paths, row);
        if (row.started_us == 0 && is_being_made(row)) return;
        store(*database, row);
    }

    // Records of sessions that ended are read once; then the index knows.
    void refresh(SessionRow& row) {
        if (is_settled(row)) return;
        const bool nameless = row.name.empty(); // seen before its record began
        refresh_from_folder(paths, row);
        if (is_settled(row) || (nameless && !row.name.empty())) write([&] { store(*database, row); });
    }

    // A session that is known already keeps its row, but for the key that was announced at its start.
    void take_in() {
        const auto taken = take_announcements(paths, [this](const Rows& rows) {
            return write([&] {
                for (const SessionRow& row : rows) {
                    SQLite::Statement known(*database, "UPDATE session SET public_key=? WHERE id=?");
                    known.bind(1, row.public_key);
                    known.bind(2, row.id);
                    if (known.exec() == 0 && ::access(paths.session(row.id).c_str(), F_OK) == 0) store(*database, row);
                }
            });
        });
        if (!taken && notice.empty()) notice = taken.error().message();
    }

    void adopt_unknown() {
        take_in();
        std::unordered_set<std::string> known;
        SQLite::Statement ids(*database, "SELECT id FROM session");
        while (ids.executeStep())
            known.insert(ids.getColumn(0).getString());
        ids.reset();
        for (const std::string& id : session_folders(paths))
            if (!known.contains(id)) write([&] { adopt(id); });
        for (SessionRow& row : select(*database, "WHERE name=''"))
            refresh(row);
    }
};

SessionIndex::SessionIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SessionIndex::SessionIndex(SessionIndex&&) noexcept = default;
SessionIndex& SessionIndex::operator=(SessionIndex&&) noexcept = default;
SessionIndex::~SessionIndex() = default;

std::string SessionIndex::notice() const {
    return impl_->notice;
}

Result<SessionIndex> SessionIndex::open(const Paths& paths) {
    if (Status made = make_folders(paths.sessions(), 0700); !made) return tl::unexpected(made.error());
    auto impl = std::make_unique<Impl>();
    impl->paths = paths;
    // Made here for its mode; SQLite fills it.
    UniqueFd(::open(paths.index().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    Status connected = impl->guarded("open index " + paths.index(), [] { return Status(); });
    if (!connected) return tl::unexpected(connected.error());
    return SessionIndex(std::move(impl));
}

Status SessionIndex::announce(const Paths& paths, const SessionRow& row) {
    const auto waiting = announce_session(paths, row);
    if (!waiting) return tl::unexpected(waiting.error());
    if (*waiting < kTakeInAbove) return {};
    auto index = open(paths);
    if (!index) return tl::unexpected(index.error());
    return index->impl_->guarded("write to the index", [&]() -> Status {
        index->impl_->take_in();
        return {};
    });
}

Result<std::vector<SessionRow>> SessionIndex::list() {
    return impl_->guarded("read the index", [&]() -> Result<Rows> {
        impl_->adopt_unknown();
        Rows rows = select(*impl_->database, "ORDER BY started_us DESC, id");
        for (SessionRow& row : rows)
            impl_->refresh(row);
        return rows;
    });
}

Result<SessionRow> SessionIndex::find(const std::string& wanted) {
    return impl_->guarded("read the index", [&]() -> Result<SessionRow> {
        const std::string what = "session " + wanted;
        const bool is_prefix =
            !wanted.empty() && wanted.size() <= 12 && wanted.find_first_not_of("0123456789abcdef") == std::string::npos;
        impl_->adopt_unknown();
        std::map<std::string, SessionRow> candidates;
        if (is_prefix)
            for (SessionRow& row : select(*impl_->database, "WHERE substr(id,1,length(?1))=?1", wanted))
                candidates.emplace(row.id, row);
        if (candidates.size() == 1 && wanted.size() == 12) {
            impl_->refresh(candidates.begin()->second);
            return candidates.begin()->second;
        }
        Rows named = select(*impl_->database, "WHERE name=? ORDER BY started_us DESC, id", wanted);
        for (SessionRow& row : named)
            impl_->refresh(row);
        const auto runs = [](const SessionRow& row) { return !is_settled(row); };
        if (!named.empty()) {
            const auto running = std::find_if(named.begin(), named.end(), runs);
            const SessionRow& chosen = running != named.end() ? *running : named.front();
            candidates.insert_or_assign(chosen.id, chosen);
        }
        if (candidates.empty())
            return failure(what, "there is none of that id or name", "`belljar ls --all` lists them");
        if (candidates.size() > 1) {
            std::vector<std::string> ids;
            for (const auto& [id, row] : candidates)
                ids.push_back(fmt::format("{} ({})", id, row.name));
            if (ids.size() > kNamedCandidates) {
                ids.resize(kNamedCandidates);
                ids.emplace_back("…");
            }
            return failure(what, fmt::format("that could be {}", fmt::join(ids, ", ")), "give more digits of the id");
        }
        SessionRow row = candidates.begin()->second;
        impl_->refresh(row);
        return row;
    });
}

Status SessionIndex::rename(const std::string& id, const std::string& name) {
    if (Status fine = check_session_name(name); !fine) return fine;
    return impl_->guarded("write to the index", [&]() -> Status {
        impl_->adopt_unknown();
        SQLite::Statement update(*impl_->database, "UPDATE session SET name=? WHERE id=?");
        update.bind(1, name);
        update.bind(2, id);
        if (update.exec() == 0) return failure("rename session " + id, "there is none of that id");
        return write_file(name_file(impl_->paths, id), name + "\n", 0600);
    });
}

Status SessionIndex::forget(const std::string& id) {
    return impl_->guarded("write to the index", [&]() -> Status {
        SQLite::Statement remove(*impl_->database, "DELETE FROM session WHERE id=?");
        remove.bind(1, id);
        remove.exec();
        return {};
    });
}

Status SessionIndex::rebuild() {
    return impl_->guarded("rebuild the index", [&] {
        std::map<std::string, std::string> names;
        for (const SessionRow& row : select(*impl_->database, ""))
            names.emplace(row.id, row.name);
        return impl_->write([&] {
            impl_->database->exec("DELETE FROM session");
            for (const std::string& id : session_folders(impl_->paths))
                impl_->adopt(id, names[id]);
        });
    });
}

} // namespace belljar
