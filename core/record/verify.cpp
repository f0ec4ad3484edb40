// Walks the chain once, in one read transaction (a snapshot, also while the session runs), holding one event at a time.
// Nothing is believed that the file says about itself: its tables must be ours to the letter, and then only `seq`,
// `bytes` and `hash` are read, never a generated column.
#include "core/record/verify.h"

#include "core/record/chain.h"
#include "core/record/event_bytes.h"
#include "core/record/schema.h"
#include "core/session/identity.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <cstring>
#include <fmt/format.h>
#include <sodium.h>
#include <sqlite3.h>

namespace belljar {
namespace {

// The first fault ends the walk.
struct Fault {
    std::uint64_t at = 0;
    std::string text;
};

std::optional<std::string_view> cell(SQLite::Statement& row, int index, int type) {
    const SQLite::Column column = row.getColumn(index);
    if (column.getType() != type) return std::nullopt;
    const auto* bytes = static_cast<const char*>(column.getBlob());
    return std::string_view(bytes == nullptr ? "" : bytes, static_cast<std::size_t>(column.getBytes()));
}

template <std::size_t N>
bool copy_exactly(const std::optional<std::string_view>& from, std::array<unsigned char, N>& to) {
    if (!from || from->size() != N) return false;
    std::memcpy(to.data(), from->data(), N);
    return true;
}

class Walk {
public:
    Walk(SQLite::Database& database, const std::string& expected_session, const std::string& expected_key)
        : database_(database), expected_session_(expected_session), expected_key_(expected_key) {}

    void run() {
        if (auto fault = check_schema()) return blame(0, std::move(*fault));
        walk_events();
        if (fault_.text.empty()) check_seal();
    }

    VerifyReport report() const {
        VerifyReport out;
        out.events = verified_;
        out.session_id = session_id_;
        out.public_key = key_ ? to_hex(*key_) : std::string();
        out.head_hash = verified_ == 0 ? std::string() : to_hex(head_);
        out.state = !fault_.text.empty() ? RecordState::Broken : sealed_ ? RecordState::Sealed : RecordState::Unsealed;
        out.broken_at = fault_.at;
        if (!fault_.text.empty())
            out.fault = visible(fault_.at == 0 ? fault_.text : fmt::format("event {}: {}", fault_.at, fault_.text));
        return out;
    }

private:
    void blame(std::uint64_t at, std::string text) { fault_ = {at, std::move(text)}; }

    std::optional<std::string> check_schema() {
        SQLite::Statement row(database_, "SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY rowid");
        std::size_t seen = 0;
        while (row.executeStep()) {
            const std::string type = row.getColumn(0).getString(), name = row.getColumn(1).getString();
            if (seen == kRecordTables.size()) return fmt::format("its schema was changed: {} {} was added", type, name);
            const TableText& expected = kRecordTables[seen++];
            if (type != "table" || name != expected.name || row.getColumn(2).getString() != expected.name)
                return fmt::format("its schema was changed: {} {} in the place of table {}", type, name, expected.name);
            if (cell(row, 3, SQLITE_TEXT) != expected.sql)
                return fmt::format("its schema was changed: table {} is defined differently", expected.name);
        }
        if (seen < kRecordTables.size())
            return fmt::format("its schema was changed: there is no table {}", kRecordTables[seen].name);
        return std::nullopt;
    }

    void walk_events() {
        SQLite::Statement row(database_, "SELECT seq,bytes,hash FROM event ORDER BY seq");
        for (;;) {
            const std::uint64_t expected = verified_ + 1;
            try {
                if (!row.executeStep()) break;
            } catch (const SQLite::Exception& error) {
                return blame(expected, sqlite_failure("cannot be read", error).value().message());
            }
            const std::int64_t sequence = row.getColumn(0).getInt64();
            if (sequence < 1 || static_cast<std::uint64_t>(sequence) < expected)
                return blame(expected, fmt::format("in its place stands a number out of order, {}", sequence));
            if (static_cast<std::uint64_t>(sequence) > expected)
                return blame(expected, fmt::format("missing; the next one there is event {}", sequence));
            if (std::string text = check_event(row, expected); !text.empty()) return blame(expected, std::move(text));
            ++verified_;
        }
        if (verified_ == 0) blame(1, "missing: the record holds no events");
    }

    std::string check_event(SQLite::Statement& row, std::uint64_t sequence) {
        const auto bytes = cell(row, 1, SQLITE_TEXT);
        if (!bytes) return "its bytes are no text";
        Hash stored{};
        if (!copy_exactly(cell(row, 2, SQLITE_BLOB), stored)) return "its hash is not 32 bytes";
        Json event;
        if (sequence == 1) { // names the session that every hash covers
            if (std::string text = check_first(*bytes); !text.empty()) return text;
        }
        const Hash hash = event_hash(session_id_, sequence, head_, *bytes);
        if (hash != stored) return "its hash does not match its bytes and the event before it";
        if (std::string text = event_fault(sequence, *bytes, event); !text.empty()) return text;
        const std::string& kind = event["kind"].get_ref<const std::string&>();
        if (ended_) return fmt::format("it stands after event {}, which ended the session", verified_);
        if ((kind == "session-started") != (sequence == 1))
            return fmt::format("an event of kind {} cannot stand here", kind);
        ended_ = kind == "session-ended";
        head_ = hash;
        return {};
    }

    std::string check_first(std::string_view bytes) {
        const auto event = parse_event_bytes(bytes);
        if (!event) return "its bytes are no JSON object";
        const auto text = [&](const char* member) {
            const auto found = event->find(member);
            return found != event->end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        if (!is_session_id(text("id"))) return "it names no session";
        session_id_ = text("id");
        key_ = key_from_hex(text("public_key"));
        if (!expected_session_.empty() && session_id_ != expected_session_)
            return fmt::format("it belongs to session {}, not to {}", session_id_, expected_session_);
        if (!key_) return "it holds no public key";
        if (!expected_key_.empty() && to_hex(*key_) != expected_key_)
            return "its public key is not the one this session started with";
        return {};
    }

    void check_seal() {
        SQLite::Statement row(database_, "SELECT one,count,hash,signature FROM seal");
        if (!row.executeStep()) {
            if (ended_) blame(verified_, "it ended the session, but the seal that was written with it is missing");
            return;
        }
        Hash hash{};
        Signature signature{};
        const std::int64_t count = row.getColumn(1).getInt64();
        if (row.getColumn(1).getType() != SQLITE_INTEGER || count < 1 ||
            !copy_exactly(cell(row, 2, SQLITE_BLOB), hash) || !copy_exactly(cell(row, 3, SQLITE_BLOB), signature))
            return blame(0, "the seal is no seal");
        const auto sealed = static_cast<std::uint64_t>(count);
        if (sealed > verified_) return blame(verified_ + 1, fmt::format("missing: the seal covers {} events", sealed));
        if (sealed < verified_)
            return blame(sealed + 1, fmt::format("it was added after the seal, which covers {} events", sealed));
        if (!ended_) return blame(verified_, "it does not end the session, but the record is sealed here");
        if (hash != head_) return blame(verified_, "its hash is not the one that was sealed");
        if (!seal_holds(session_id_, sealed, head_, signature, *key_))
            return blame(verified_, "the seal over it was not made with the key of event 1");
        if (row.executeStep()) return blame(0, "there is more than one seal");
        sealed_ = true;
    }

    SQLite::Database& database_;
    const std::string &expected_session_, &expected_key_;
    Fault fault_;
    std::string session_id_;
    std::optional<PublicKey> key_;
    Hash head_{};
    std::uint64_t verified_ = 0;
    bool ended_ = false, sealed_ = false;
};

VerifyReport unreadable(std::string why) {
    VerifyReport report;
    report.fault = std::move(why);
    return report;
}

VerifyReport damaged(std::string why) {
    VerifyReport report = unreadable(std::move(why));
    report.state = RecordState::Broken;
    return report;
}

} // namespace

int VerifyReport::exit_status() const {
    switch (state) {
    case RecordState::Sealed:
        return 0;
    case RecordState::Broken:
        return 1;
    case RecordState::Unsealed:
        return 2;
    case RecordState::Unreadable:
        return 3;
    }
    return 3;
}

VerifyReport verify_record(const std::string& record_path, const std::string& expected_session,
                           const std::string& expected_key) {
    if (sodium_init() < 0) return unreadable("libsodium finds no source of randomness");
    auto database = open_record(record_path, true);
    if (!database) {
        const std::string message = database.error().error.message();
        return database.error().fault == RecordFault::Damaged ? damaged(message) : unreadable(message);
    }
    Walk walk(**database, expected_session, expected_key);
    try {
        (*database)->exec("BEGIN");
        walk.run();
    } catch (const SQLite::Exception& error) {
        return damaged(sqlite_failure("verify record " + record_path, error).value().message());
    }
    return walk.report();
}

} // namespace belljar
