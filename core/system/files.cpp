#include "core/system/files.h"

#include <cerrno>
#include <cstdlib>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace belljar {
namespace {

// O_NONBLOCK: a FIFO in the place of a file must not hold us up; a regular file ignores it.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

Result<std::string> read_regular(const UniqueFd& fd, const std::string& path, std::size_t limit) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) return system_failure("stat " + path);
    if (!S_ISREG(st.st_mode)) return failure("read " + path, "not a regular file");
    return read_all(fd.get(), path, limit);
}

} // namespace

Result<std::string> read_all(int fd, const std::string& name, std::size_t limit) {
    std::string bytes;
    std::size_t used = 0;
    for (;;) {
        bytes.resize(std::min(limit + 1, std::max<std::size_t>(4096, used * 2)));
        if (used == bytes.size()) return failure("read " + name, fmt::format("larger than {} bytes", limit));
        const ssize_t n = ::read(fd, bytes.data() + used, bytes.size() - used);
        if (n < 0) {
            if (errno == EINTR) continue;
            return system_failure("read " + name);
        }
        if (n == 0) break;
        used += static_cast<std::size_t>(n);
    }
    if (used > limit) return failure("read " + name, fmt::format("larger than {} bytes", limit));
    bytes.resize(used);
    return bytes;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
    const UniqueFd fd(::open(path.c_str(), kReadFlags));
    if (!fd) return system_failure("open " + path);
    return read_regular(fd, path, limit);
}

Result<std::string> read_file_below(const std::string& folder, const std::string& relative, std::size_t limit) {
    const std::string path = folder + "/" + relative;
    const UniqueFd root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return system_failure("open " + folder);
    open_how how{};
    how.flags = kReadFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root.get(), relative.c_str(), &how, sizeof how)));
    if (!fd && (errno == ELOOP || errno == EXDEV)) {
        auto error = system_failure("open " + path, errno);
        error.value().why = "it is a symbolic link, or reached through one, and those are not followed here";
        return error;
    }
    if (!fd) return system_failure("open " + path);
    return read_regular(fd, path, limit);
}

Status write_all(int fd, std::string_view bytes, const std::string& name) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            return system_failure("write " + name);
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
    const std::string beside = fmt::format("{}.new.{}", path, ::getpid());
    UniqueFd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!fd) return system_failure("create " + beside);
    if (Status written = write_all(fd.get(), bytes, beside); !written) {
        ::unlink(beside.c_str());
        return written;
    }
    if (::rename(beside.c_str(), path.c_str()) != 0) {
        const int saved = errno;
        ::unlink(beside.c_str());
        return system_failure("rename to " + path, saved);
    }
    return {};
}

Status write_existing(const std::string& path, std::string_view bytes) {
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) return system_failure("open " + path);
    const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0) return system_failure("write " + path);
    if (static_cast<std::size_t>(n) != bytes.size()) return failure("write " + path, "short write");
    return {};
}

Status make_folders(const std::string& path, mode_t mode) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
            struct stat st {};
            const int saved = errno;
            if (::stat(part.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) return system_failure("make folder " + part, saved);
        }
        if (slash == std::string::npos) return {};
    }
}

Result<std::string> real_path(const std::string& path) {
    char buffer[PATH_MAX];
    if (::realpath(path.c_str(), buffer) == nullptr) return system_failure("find " + path);
    return std::string(buffer);
}

Status make_enterable(int folder) {
    struct stat st {};
    if (::fstat(folder, &st) != 0) return system_failure("look at a folder");
    if ((st.st_mode & 0700) == 0700) return {};
    // chmod(2) of an O_PATH descriptor goes by its name in /proc (open(2)).
    if (::chmod(("/proc/self/fd/" + std::to_string(folder)).c_str(), (st.st_mode & 07777) | 0700) != 0)
        return system_failure("make a folder readable for its owner");
    return {};
}

} // namespace belljar
