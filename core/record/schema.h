// The shape of record.db: what the writer creates and what the verifier compares with, character by character.
#pragma once

#include "core/system/error.h"

#include <SQLiteCpp/Database.h>
#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace belljar {

inline constexpr int kRecordFormat = 1;               // PRAGMA user_version
inline constexpr int kRecordApplication = 0x42656C6C; // PRAGMA application_id: "Bell"

struct TableText {
    std::string_view name, sql;
};
// The rows of sqlite_schema, all of them, in order.
extern const std::array<TableText, 2> kRecordTables;

// A failure of SQLite as an Error: "the disk is full" and the like, with errno where SQLite has one.
tl::unexpected<Error> sqlite_failure(std::string what, const SQLite::Exception& error);

enum class RecordFault { Missing, Foreign, Newer, Damaged };
struct RecordOpenError {
    RecordFault fault;
    Error error;
};

// Opens a record for reading, in this order: like any reader (shared memory beside the file; sees what a running
// session commits); without shared memory, where the folder cannot be written; as an immutable file, where there is no
// WAL either. Nothing that the file brings is run: no triggers, no views. No read
// transaction is open on return. A file that was cut is opened as far as it goes when `tolerant`.
tl::expected<std::unique_ptr<SQLite::Database>, RecordOpenError> open_record(const std::string& path, bool tolerant);

} // namespace belljar
