// One connection, three prepared statements, a key in locked memory, and the chain's head.
#include "core/record/writer.h"

#include "core/record/chain.h"
#include "core/record/event_bytes.h"
#include "core/record/schema.h"
#include "core/session/identity.h"
#include "core/session/paths.h"
#include "core/system/unique_fd.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sodium.h>
#include <sqlite3.h>

namespace belljar {
namespace {

// The private half of the session's key: pages of its own that are locked, kept out of core dumps and wiped
// (sodium_malloc).
class SigningKey {
public:
    SigningKey() : secret_(static_cast<unsigned char*>(sodium_malloc(crypto_sign_SECRETKEYBYTES)), &sodium_free) {
        if (!secret_) throw std::bad_alloc();
        crypto_sign_keypair(public_.data(), secret_.get());
    }
    const PublicKey& public_half() const { return public_; }
    Signature sign(std::string_view message) const {
        Signature signature{};
        crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(message.data()),
                             message.size(), secret_.get());
        return signature;
    }

private:
    PublicKey public_{};
    std::unique_ptr<unsigned char, decltype(&sodium_free)> secret_;
};

struct Head {
    std::uint64_t last;
    Hash hash;
};

// Leaves the statement ready for the next event, which binds every parameter anew.
struct StatementReset {
    SQLite::Statement& statement;
    ~StatementReset() { statement.tryReset(); }
};

class SqliteRecordWriter final : public RecordWriter {
public:
    SqliteRecordWriter(const std::string& path, std::string session_id)
        : path_(path), session_id_(std::move(session_id)),
          database_(std::in_place, path, SQLite::OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, 5000),
          key_(std::in_place), public_key_(to_hex(key_->public_half())) {}

    ~SqliteRecordWriter() override {
        if (last_ != 0) return;
        insert_.reset();
        database_.reset();
        for (const char* suffix : {"", "-wal", "-shm"})
            ::unlink((path_ + suffix).c_str());
    }

    Status begin(NewEvent started) override {
        if (last_ != 0) return failure("begin record " + path_, "it has begun already");
        if (!started.fields.is_object()) return failure("begin record " + path_, "the fields are no JSON object");
        Json fields = {{"id", session_id_}};
        for (auto& [name, value] : started.fields.items())
            if (name != "id") fields[name] = value;
        fields["public_key"] = public_key_;
        started.kind = "session-started";
        started.fields = std::move(fields);
        if (auto added = append(std::span<const NewEvent>(&started, 1)); !added) return tl::unexpected(added.error());
        return {};
    }

    void create_tables() {
        // synchronous=OFF: nothing is ever synced while the session runs; what is committed is in the page cache, where
        // kill -9 cannot reach it. The tables are made without a journal on disk, for nobody reads yet.
        std::string sql =
            fmt::format("PRAGMA synchronous=OFF;PRAGMA temp_store=MEMORY;PRAGMA journal_mode=MEMORY;BEGIN;"
                        "PRAGMA application_id={};PRAGMA user_version={};",
                        kRecordApplication, kRecordFormat);
        for (const TableText& table : kRecordTables)
            sql.append(table.sql).append(";");
        sql += "COMMIT;PRAGMA journal_mode=WAL";
        database_->exec(sql);
        insert_.emplace(*database_, "INSERT INTO event(seq,bytes,hash) VALUES(?,?,?)");
    }

    Result<std::uint64_t> append(std::span<const NewEvent> events) override {
        if (sealed_) return failure("append to record " + path_, "it is sealed");
        if (events.empty()) return last_;
        const Head before{last_, head_};
        try {
            if (events.size() == 1) { // one statement is a transaction of its own
                if (Status added = insert(events[0]); !added) return give_up(before, added.error());
                return last_;
            }
            database_->exec("BEGIN IMMEDIATE");
            for (const NewEvent& event : events)
                if (Status added = insert(event); !added) return give_up(before, added.error());
            database_->exec("COMMIT");
            return last_;
        } catch (const SQLite::Exception& error) {
            return give_up(before, sqlite_failure("append to record " + path_, error).value());
        }
    }

    Result<Seal> seal(NewEvent ended) override {
        if (sealed_) return failure("seal record " + path_, "it is sealed");
        const Head before{last_, head_};
        ended.kind = "session-ended";
        if (!ended.fields.is_object()) return failure("seal record " + path_, "the fields are no JSON object");
        ended.fields["seal"] = {{"count", last_ + 1}, {"public_key", public_key_}};
        try {
            database_->exec("BEGIN IMMEDIATE");
            if (Status added = insert(ended); !added) return give_up(before, added.error());
            const Signature signature = key_->sign(seal_message(session_id_, last_, head_));
            SQLite::Statement put(*database_, "INSERT INTO seal(one,count,hash,signature) VALUES(1,?,?,?)");
            put.bind(1, static_cast<std::int64_t>(last_));
            put.bindNoCopy(2, head_.data(), static_cast<int>(head_.size()));
            put.bindNoCopy(3, signature.data(), static_cast<int>(signature.size()));
            put.exec();
            database_->exec("COMMIT");
            sealed_ = true;
            key_.reset(); // wiped
            return Seal{last_, to_hex(head_), to_hex(signature)};
        } catch (const SQLite::Exception& error) {
            return give_up(before, sqlite_failure("seal record " + path_, error).value());
        }
    }

    void finish() override {
        if (!database_) return;
        key_.reset();
        sealed_ = true;
        insert_.reset();
        // A failure here loses nothing: the WAL stays beside the file and is read from there.
        sqlite3* handle = database_->getHandle();
        sqlite3_exec(handle, "PRAGMA synchronous=NORMAL", nullptr, nullptr, nullptr);
        sqlite3_wal_checkpoint_v2(handle, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
        database_.reset();
    }

    std::string public_key() const override { return public_key_; }
    std::uint64_t last_sequence() const override { return last_; }

private:
    Status insert(const NewEvent& event) {
        const auto bytes = event_bytes(last_ + 1, event);
        if (!bytes) return tl::unexpected(bytes.error());
        const Hash hash = event_hash(session_id_, last_ + 1, head_, *bytes);
        const StatementReset reset{*insert_};
        insert_->bind(1, static_cast<std::int64_t>(last_ + 1));
        insert_->bindNoCopy(2, *bytes);
        insert_->bindNoCopy(3, hash.data(), static_cast<int>(hash.size()));
        insert_->exec();
        head_ = hash;
        ++last_;
        return {};
    }

    tl::unexpected<Error> give_up(const Head& before, Error error) {
        last_ = before.last;
        head_ = before.hash;
        if (sqlite3_get_autocommit(database_->getHandle()) == 0)
            sqlite3_exec(database_->getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
        return tl::unexpected(std::move(error));
    }

    std::string path_, session_id_;
    std::optional<SQLite::Database> database_;
    std::optional<SQLite::Statement> insert_;
    std::optional<SigningKey> key_;
    std::string public_key_;
    std::uint64_t last_ = 0;
    Hash head_{};
    bool sealed_ = false;
};

} // namespace

Result<std::unique_ptr<RecordWriter>> RecordWriter::create(const std::string& folder, const std::string& session_id,
                                                           NewEvent started) {
    auto writer = prepare(folder, session_id);
    if (!writer) return writer;
    if (Status begun = (*writer)->begin(std::move(started)); !begun) return tl::unexpected(begun.error());
    return writer;
}

Result<std::unique_ptr<RecordWriter>> RecordWriter::prepare(const std::string& folder, const std::string& session_id) {
    const std::string path = folder + "/" + kRecordFile;
    const std::string what = "create record " + path;
    if (!is_session_id(session_id)) return failure(what, "not a session id: " + session_id);
    if (sodium_init() < 0) return failure(what, "libsodium finds no source of randomness");
    // Made here, so that it is certainly new and its mode is ours; SQLite gives the same mode to the files beside it.
    if (!UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)))
        return system_failure(what);
    try {
        auto writer = std::make_unique<SqliteRecordWriter>(path, session_id);
        writer->create_tables();
        return std::unique_ptr<RecordWriter>(std::move(writer));
    } catch (const SQLite::Exception& error) {
        return sqlite_failure(what, error);
    }
}

} // namespace belljar
