#include "helper/supervisor/session_path.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace belljar {
namespace {

tl::expected<UniqueFd, int> open_below(int root, const std::string& path) {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    for (int attempt = 0; attempt < 16; ++attempt) {
        UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
        if (fd) return fd;
        if (errno != EAGAIN) return tl::unexpected(errno); // EAGAIN: a rename somewhere while ".." was walked
    }
    return tl::unexpected(EACCES);
}

UniqueFd open_link(pid_t tid, const char* name) {
    char path[48];
    std::snprintf(path, sizeof path, "/proc/%d/%s", tid, name);
    return UniqueFd(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// The working directory's path as the session sees it. openat2 could start from the directory itself, but then ".."
// would stop there, and an absolute symlink would lead into the supervisor's own root.
tl::expected<std::string, int> working_directory(pid_t tid, int root) {
    char path[48], target[PATH_MAX];
    std::snprintf(path, sizeof path, "/proc/%d/cwd", tid);
    const ssize_t length = ::readlink(path, target, sizeof target);
    if (length <= 0 || static_cast<std::size_t>(length) == sizeof target) return tl::unexpected(EACCES);
    std::string text(target, static_cast<std::size_t>(length));
    const UniqueFd real = open_link(tid, "cwd");
    const auto found = open_below(root, text);
    struct stat a {
    }, b{};
    if (!real || !found || ::fstat(real.get(), &a) != 0 || ::fstat(found->get(), &b) != 0)
        return tl::unexpected(EACCES);
    // A deleted or covered directory: the words do not lead there.
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return tl::unexpected(EACCES);
    return text;
}

} // namespace

tl::expected<UniqueFd, int> open_in_session(pid_t tid, std::string_view path) {
    if (path.empty()) return tl::unexpected(ENOENT);
    const UniqueFd root = open_link(tid, "root");
    if (!root) return tl::unexpected(EACCES);
    if (path.front() == '/') return open_below(root.get(), std::string(path));
    auto directory = working_directory(tid, root.get());
    if (!directory) return tl::unexpected(directory.error());
    return open_below(root.get(), *directory + '/' + std::string(path));
}

} // namespace belljar
