#include "app/client/ended_session.h"

#include "app/client/session_folders.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

namespace belljar {

Result<UniqueFd> hold_ended_session(const Place& place, const SessionRow& row) {
    UniqueFd lock(::open((place.paths.session(row.id) + "/" + kLockFile).c_str(),
                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!lock) return errno == ENOENT ? Result<UniqueFd>(UniqueFd()) : system_failure("open the session's lock");
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return system_failure("lock the session");
    return failure(fmt::format("remove {} ({})", row.name, row.id), "it is running",
                   fmt::format("`belljar stop {}` ends it", row.id));
}

Status remove_ended_session(const Place& place, const SessionRow& row) {
    if (Status removed = remove_session_folders(place.paths, row.id); !removed) return removed;
    auto index = SessionIndex::open(place.paths);
    if (!index) return tl::unexpected(index.error());
    return index->forget(row.id);
}

} // namespace belljar
