// Where sessions are kept, what they see of /proc, and the terminal.
#include "app/client/doctor.h"

#include "core/system/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace belljar {
namespace {

using State = Check::State;

// Really writes: a quota, a full disk and no inodes look alike to statfs(2) only on some file systems. The file has no
// name and is gone when it is closed (open(2): O_TMPFILE).
int try_to_write(const std::string& folder) {
    const UniqueFd file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    if (!file) return errno == EOPNOTSUPP || errno == EISDIR ? 0 : errno; // not on every file system
    const std::string some(256u << 10, '\1');
    const Status written = write_all(file.get(), some, folder);
    return written ? 0 : written.error().errno_value;
}

std::string nearest_existing(std::string path) {
    struct stat st {};
    while (path.size() > 1 && ::stat(path.c_str(), &st) != 0)
        path.resize(std::max<std::size_t>(1, path.rfind('/')));
    return path;
}

// Whether it is a folder, and one of ours alone where it is Belljar's own (session_folders.h refuses another).
std::optional<Check> unsuitable(const char* name, const std::string& path, bool own, const std::string& elsewhere) {
    const auto missing = [&](std::string found, std::string advice) {
        return Check{State::Missing, name, std::move(found), std::move(advice)};
    };
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0)
        return missing(fmt::format("{} cannot be looked at: {}", path, std::strerror(errno)), elsewhere);
    if (!S_ISDIR(st.st_mode)) return missing(path + " is not a folder", fmt::format("move it away, or {}", elsewhere));
    if (own && st.st_uid != ::geteuid())
        return missing(fmt::format("{} belongs to uid {}, not to you", path, st.st_uid),
                       fmt::format("move it away, or {}", elsewhere));
    if (own && (st.st_mode & 077) != 0)
        return missing(fmt::format("{} lets others in (mode {:04o})", path, st.st_mode & 07777),
                       fmt::format("chmod 700 '{}'", path));
    return std::nullopt;
}

// `parts`: Belljar's own folders in it, where they are there already.
Check folder(const char* name, const std::string& path, const char* variable, const std::vector<std::string>& parts = {}) {
    const std::string existing = nearest_existing(path);
    const auto missing = [&](std::string found, std::string advice) {
        return Check{State::Missing, name, std::move(found), std::move(advice)};
    };
    const std::string elsewhere = fmt::format("set {} to a folder of yours", variable);
    if (const auto check = unsuitable(name, existing, existing == path, elsewhere)) return *check;
    for (const std::string& part : parts)
        if (struct stat st {}; ::stat(part.c_str(), &st) == 0)
            if (const auto check = unsuitable(name, part, true, elsewhere)) return *check;
    struct statfs fs {};
    if (::statfs(existing.c_str(), &fs) != 0)
        return missing(fmt::format("{} cannot be looked at: {}", existing, std::strerror(errno)), elsewhere);
    if (::access(existing.c_str(), W_OK | X_OK) != 0)
        return missing(fmt::format("{} cannot be written: {}", existing, std::strerror(errno)), elsewhere);
    if (const int error = try_to_write(existing); error != 0)
        return missing(fmt::format("nothing can be written to {}: {}", existing, std::strerror(error)),
                       error == ENOSPC || error == EDQUOT ? "make room there (`belljar rm` removes old sessions), or " +
                                                                elsewhere
                                                          : elsewhere);
    if (const std::string network = network_file_system(static_cast<unsigned long>(fs.f_type)); !network.empty())
        return {State::Note, name, fmt::format("{} lies on {}", path, network),
                fmt::format("records want a local disk: set {} to one", variable)};
    if (fs.f_bavail * static_cast<unsigned long>(fs.f_bsize) < (64u << 20))
        return {State::Note, name, fmt::format("{} has less than 64 MiB free", path),
                "a session allows no connection any more when its record cannot be written: make room there"};
    return {State::Ok, name, path, {}};
}

Check terminal() {
    const char* term = std::getenv("TERM");
    const bool present = ::isatty(STDIN_FILENO) == 1 || ::isatty(STDOUT_FILENO) == 1 || ::isatty(STDERR_FILENO) == 1;
    if (!present) return {State::Ok, "terminal", "none: standard streams are relayed as pipes", {}};
    if (term == nullptr || *term == '\0')
        return {State::Note, "terminal", "TERM is not set",
                "programs inside will take the terminal for a dumb one: export TERM"};
    return {State::Ok, "terminal", fmt::format("TERM={}", term), {}};
}

Check home(const Place& place) {
    struct statfs fs {};
    const std::string existing = nearest_existing(place.account.home);
    const std::string network =
        ::statfs(existing.c_str(), &fs) == 0 ? network_file_system(static_cast<unsigned long>(fs.f_type)) : "";
    if (network.empty()) return {State::Ok, "home", place.account.home, {}};
    return {State::Note, "home", fmt::format("{} lies on {}", place.account.home, network),
            "workspaces in it work as they do outside; keep the state folder on a local disk (BELLJAR_STATE_DIR)"};
}

Check who() {
    if (is_real_root())
        return {State::Note, "user", "this is root, and a session never runs as root",
                "name the user who runs it: `belljar doctor --user NAME`, `belljar run --user NAME …`"};
    return {State::Ok, "user", fmt::format("uid {}", ::geteuid()), {}};
}

} // namespace

std::vector<Check> check_machine(const Place& place) {
    const auto mountinfo = read_file("/proc/self/mountinfo", 4u << 20);
    const std::string mounts = mountinfo ? *mountinfo : "";
    return {who(),
            folder("state folder", place.paths.state, "BELLJAR_STATE_DIR", {place.paths.sessions(), place.paths.homes()}),
            folder("runtime folder", place.paths.runtime, "BELLJAR_RUNTIME_DIR"),
            home(place),
            execution_check(nearest_existing(place.paths.state), nearest_existing(place.account.home), mounts),
            proc_check(mounts),
            root_check(mounts),
            terminal()};
}

} // namespace belljar
