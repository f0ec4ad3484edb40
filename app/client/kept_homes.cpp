#include "app/client/kept_homes.h"

#include "app/client/session_folders.h"
#include "core/system/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>

namespace belljar {
namespace {

struct flock whole(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    return lock;
}

UniqueFd open_lock(const Paths& paths, const std::string& name, int more = 0) {
    return UniqueFd(::open((paths.kept_home(name) + "/" + kLockFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | more, 0600));
}

} // namespace

std::vector<std::string> list_kept_homes(const Paths& paths) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(paths.homes(), error), end; !error && entry != end; entry.increment(error))
        if (entry->symlink_status(error).type() == std::filesystem::file_type::directory)
            names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

bool kept_home_is_in_use(const Paths& paths, const std::string& name) {
    const UniqueFd lock = open_lock(paths, name);
    struct flock other = whole(F_WRLCK);
    return lock && (::fcntl(lock.get(), F_OFD_GETLK, &other) != 0 || other.l_type != F_UNLCK);
}

Status remove_kept_home(const Paths& paths, const std::string& name) {
    const std::string what = "remove the kept home " + name;
    const std::vector<std::string> names = list_kept_homes(paths);
    if (std::find(names.begin(), names.end(), name) == names.end())
        return failure(what, "there is none of that name",
                       names.empty() ? "there is no kept home" : fmt::format("there are: {}", fmt::join(names, ", ")));
    const UniqueFd lock = open_lock(paths, name, O_CREAT); // who starts with a home that has none makes it, too
    if (!lock) return system_failure(what);
    struct flock exclusive = whole(F_WRLCK);
    if (::fcntl(lock.get(), F_OFD_SETLK, &exclusive) != 0) {
        if (errno != EAGAIN && errno != EACCES) return system_failure(what);
        return failure(what, "a session is using it", "`belljar ls` shows what runs");
    }
    // The lock goes last, with its folder: who starts with this home meanwhile is refused by it.
    if (Status removed = remove_tree(paths.kept_home(name) + "/" + kHomeFolder); !removed) return removed;
    return remove_tree(paths.kept_home(name));
}

} // namespace belljar
