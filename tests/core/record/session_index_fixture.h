// Folders of sessions, and an index over them.
#pragma once

#include "core/record/index.h"
#include "core/system/unique_fd.h"
#include "tests/core/record/sample_record.h"

#include <QTemporaryDir>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace belljar::test {

inline std::string id_of(int number) {
    return fmt::format("{:012x}", number);
}

inline SessionRow row_of(const std::string& id, const std::string& name, std::int64_t started_us = 1'900'000'000'000'000) {
    SessionRow row;
    row.id = id;
    row.name = name;
    row.command = "bash";
    row.workspace = "/w";
    row.policy = "default";
    row.started_us = started_us;
    return row;
}

class SessionIndexFixture {
public:
    Paths paths() {
        Paths paths;
        paths.state = fmt::format("{}/{}", base_.path().toStdString(), next_++);
        ::mkdir(paths.state.c_str(), 0700);
        ::mkdir(paths.sessions().c_str(), 0700);
        return paths;
    }
    static UniqueFd hold_lock(const Paths& paths, const std::string& id) {
        UniqueFd lock(::open((paths.session(id) + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) qFatal("flock");
        return lock;
    }
    static Status announce(const Paths& paths, const SessionRow& row) {
        ::mkdir(paths.session(row.id).c_str(), 0700);
        return SessionIndex::announce(paths, row);
    }
    static SessionIndex open(const Paths& paths) {
        auto index = SessionIndex::open(paths);
        if (!index) qFatal("%s", index.error().message().c_str());
        return std::move(*index);
    }
    static std::vector<std::string> ids(SessionIndex& index) {
        std::vector<std::string> out;
        const auto rows = index.list();
        if (!rows) qFatal("%s", rows.error().message().c_str());
        for (const SessionRow& row : *rows)
            out.push_back(row.id);
        return out;
    }

private:
    QTemporaryDir base_;
    int next_ = 0;
};

} // namespace belljar::test
