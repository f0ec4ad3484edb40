// Records to test with: a folder that goes away, a session with a few events, raw SQL on its file.
#pragma once

#include "core/record/verify.h"
#include "core/record/writer.h"

#include <QTemporaryDir>
#include <QtTest>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <functional>
#include <sys/stat.h>

namespace belljar::test {

inline constexpr const char* kId = "0123456789ab";

inline NewEvent started(const std::string& name = "sample") {
    return {"session-started",
            {{"name", name},
             {"argv", {"bash", "-c", "echo it's"}},
             {"workspace", "/home/u/w"},
             {"policy", {{"name", "default"}, {"sha256", std::string(64, 'a')}}}},
            1'900'000'000'000'000};
}
inline NewEvent denied(int conn, const std::string& host = "gist.example.net") {
    return {"egress",
            {{"conn", conn},
             {"verdict", "denied"},
             {"host", host},
             {"ip", "192.0.2.7"},
             {"port", 443},
             {"proto", "tcp"},
             {"pid", 14},
             {"exe", "/usr/bin/curl"},
             {"argv", {"curl", "https://" + host}},
             {"rule", ""},
             {"reason", "no rule allows it"}},
            1'900'000'001'000'000 + conn};
}
inline NewEvent ended(int status = 0) {
    return {
        "session-ended",
        {{"status", status},
         {"reason", "exited"},
         {"totals", {{"allowed", 1}, {"denied", 2}, {"calls_denied", 3}, {"bytes_sent", 4}, {"bytes_received", 5}}}},
        1'900'000'002'000'000};
}

// A record with `events` events, the sealing one included, folded into one file.
inline std::string make_record(const std::string& folder, int events, bool sealed, const std::string& id = kId) {
    ::mkdir(folder.c_str(), 0700);
    auto writer = RecordWriter::create(folder, id, started());
    if (!writer) qFatal("%s", writer.error().message().c_str());
    for (int i = 2; i <= events - (sealed ? 1 : 0); ++i)
        if (auto added = (*writer)->append(denied(i)); !added) qFatal("%s", added.error().message().c_str());
    if (sealed)
        if (auto seal = (*writer)->seal(ended()); !seal) qFatal("%s", seal.error().message().c_str());
    (*writer)->finish();
    return folder + "/record.db";
}

// SQL as an attacker with the file in hand would run it.
inline void tamper(const std::string& path, const std::string& sql) {
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    database.exec("PRAGMA writable_schema=1;" + sql);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

// The same on the rows alone, past the generated columns: their definitions are taken out and put back.
inline void edit_rows(const std::string& path, const std::function<void(SQLite::Database&)>& edit) {
    std::string original;
    {
        SQLite::Database database(path, SQLite::OPEN_READWRITE);
        original = database.execAndGet("SELECT sql FROM sqlite_schema WHERE name='event'").getString();
        database.exec("PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql='CREATE TABLE event(seq INTEGER PRIMARY "
                      "KEY,bytes,hash)' WHERE name='event'");
    }
    {
        SQLite::Database database(path, SQLite::OPEN_READWRITE);
        edit(database);
        database.exec("PRAGMA writable_schema=1");
        SQLite::Statement restore(database, "UPDATE sqlite_schema SET sql=? WHERE name='event'");
        restore.bind(1, original);
        restore.exec();
    }
    SQLite::Database(path, SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
}
inline void edit_rows(const std::string& path, const std::string& sql) {
    edit_rows(path, [&](SQLite::Database& database) { database.exec(sql); });
}

} // namespace belljar::test
