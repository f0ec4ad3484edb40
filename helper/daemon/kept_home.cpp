#include "helper/daemon/kept_home.h"

#include "core/session/paths.h"
#include "core/system/files.h"
#include "helper/daemon/session_socket.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar {

Result<UniqueFd> hold_kept_home(const std::string& path) {
    const auto folder = open_own_folder(path);
    if (!folder) return tl::unexpected(folder.error());
    UniqueFd lock(::openat(folder->get(), kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!lock) return system_failure("open the lock of the kept home " + path);
    struct flock shared {};
    shared.l_type = F_RDLCK;
    shared.l_whence = SEEK_SET;
    shared.l_len = 1;
    if (::fcntl(lock.get(), F_OFD_SETLK, &shared) != 0) {
        if (errno == EAGAIN || errno == EACCES) return failure("kept home " + path, "it is being removed", "try again");
        return system_failure("lock the kept home " + path);
    }
    // Not one that was removed, folder and all, while it was opened.
    struct stat held {}, named {};
    if (::fstat(lock.get(), &held) != 0 || ::fstatat(folder->get(), kLockFile, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        held.st_ino != named.st_ino || held.st_dev != named.st_dev)
        return failure("kept home " + path, "it was removed", "try again");
    if (::mkdirat(folder->get(), kHomeFolder, 0700) != 0 && errno != EEXIST) return system_failure("make the kept home " + path);
    struct stat st {};
    if (::fstatat(folder->get(), kHomeFolder, &st, AT_SYMLINK_NOFOLLOW) != 0) return system_failure("look at the kept home " + path);
    if (!S_ISDIR(st.st_mode)) return failure("kept home " + path, "is not a folder", "move it away");
    // A session may have closed it to its owner, and so to all that come after.
    const UniqueFd home(::openat(folder->get(), kHomeFolder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!home) return system_failure("open the kept home " + path);
    if (Status entered = make_enterable(home.get()); !entered) return tl::unexpected(entered.error());
    return lock;
}

} // namespace belljar
