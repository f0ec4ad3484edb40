// Where sessions are kept, what they see of /proc, and the terminal.
#include "app/cli/doctor.h"

#include "core/system/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

using State = Check::State;

// SQLite's WAL needs shared memory between processes of one machine (sqlite.org/wal.html), and flock(2) must mean
// something.
std::string network_file_system(long type) {
    switch (static_cast<unsigned long>(type)) {
    case NFS_SUPER_MAGIC:
        return "NFS";
    case SMB_SUPER_MAGIC:
        return "SMB";
    case 0xFF534D42:
        return "CIFS";
    case 0xFE534D42:
        return "SMB2";
    case V9FS_MAGIC:
        return "9p";
    case AFS_SUPER_MAGIC:
        return "AFS";
    case CODA_SUPER_MAGIC:
        return "Coda";
    case 0x00C36400:
        return "Ceph";
    case 0x65735546:
        return "FUSE";
    default:
        return {};
    }
}

std::string nearest_existing(std::string path) {
    struct stat st {};
    while (path.size() > 1 && ::stat(path.c_str(), &st) != 0)
        path.resize(std::max<std::size_t>(1, path.rfind('/')));
    return path;
}

Check folder(const char* name, const std::string& path, const char* variable) {
    const std::string existing = nearest_existing(path);
    struct stat st {};
    struct statfs fs {};
    if (::stat(existing.c_str(), &st) != 0 || ::statfs(existing.c_str(), &fs) != 0)
        return {State::Missing, name, fmt::format("{}: {}", existing, std::strerror(errno)),
                fmt::format("set {}", variable)};
    if (!S_ISDIR(st.st_mode))
        return {State::Missing, name, existing + " is no folder", fmt::format("move it away, or set {}", variable)};
    if (existing == path && st.st_uid != ::geteuid())
        return {State::Missing, name, fmt::format("{} belongs to uid {}", path, st.st_uid),
                fmt::format("move it away, or set {}", variable)};
    if (existing == path && (st.st_mode & 077) != 0)
        return {State::Missing, name, fmt::format("{} lets others in (mode {:04o})", path, st.st_mode & 07777),
                fmt::format("chmod 700 '{}'", path)};
    if (::access(existing.c_str(), W_OK | X_OK) != 0)
        return {State::Missing, name, fmt::format("{} cannot be written", existing), fmt::format("set {}", variable)};
    if (const std::string network = network_file_system(static_cast<long>(fs.f_type)); !network.empty())
        return {State::Note, name, fmt::format("{} lies on {}", path, network),
                fmt::format("records want a local disk: set {} to one", variable)};
    if (fs.f_bavail * static_cast<unsigned long>(fs.f_bsize) < (64u << 20))
        return {State::Note, name, fmt::format("{}: less than 64 MiB free", path),
                "a session ends when its record cannot be written"};
    return {State::Ok, name, path, {}};
}

Check proc_visibility() {
    struct stat st {};
    if (::stat("/proc/self/status", &st) != 0)
        return {State::Missing, "/proc", "not mounted", "mount -t proc proc /proc"};
    if (::stat("/proc/1/status", &st) == 0) return {State::Ok, "/proc", "shows all processes", {}};
    return {State::Ok, "/proc", "mounted with hidepid (a session has a /proc of its own)", {}};
}

Check terminal() {
    const char* term = std::getenv("TERM");
    const bool present = ::isatty(STDIN_FILENO) == 1 || ::isatty(STDOUT_FILENO) == 1 || ::isatty(STDERR_FILENO) == 1;
    if (!present) return {State::Ok, "terminal", "none: standard streams are relayed as pipes", {}};
    if (term == nullptr || *term == '\0')
        return {State::Note, "terminal", "TERM is not set", "programs inside will treat it as dumb; export TERM"};
    return {State::Ok, "terminal", fmt::format("TERM={}", term), {}};
}

Check who() {
    if (is_real_root())
        return {State::Note, "user", "root", "`belljar run` wants --user NAME; what is tried here is tried as root"};
    return {State::Ok, "user", fmt::format("uid {}", ::geteuid()), {}};
}

} // namespace

std::vector<Check> check_machine(const Place& place) {
    return {who(), folder("state folder", place.paths.state, "BELLJAR_STATE_DIR"),
            folder("runtime folder", place.paths.runtime, "BELLJAR_RUNTIME_DIR"), proc_visibility(), terminal()};
}

} // namespace belljar::cli
