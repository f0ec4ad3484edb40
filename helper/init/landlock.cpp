#include "helper/init/landlock.h"

#include "core/system/unique_fd.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/landlock.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace belljar {
namespace {

// struct landlock_ruleset_attr as of ABI 6; its size is chosen by the running ABI (unknown non-zero fields are E2BIG).
struct RulesetAttributes {
    std::uint64_t handled_access_fs = 0;
    std::uint64_t handled_access_net = 0;
    std::uint64_t scoped = 0;
};

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteAbi1 = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                     LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kRefer = 1ull << 13;    // ABI 2
constexpr std::uint64_t kTruncate = 1ull << 14; // ABI 3
constexpr std::uint64_t kIoctlDev = 1ull << 15; // ABI 5
constexpr std::uint64_t kScopeAbstractUnix = 1ull << 0, kScopeSignal = 1ull << 1; // ABI 6
constexpr std::uint64_t kOnFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctlDev;

std::uint64_t write_rights(int abi) {
    return kWriteAbi1 | (abi >= 2 ? kRefer : 0) | (abi >= 3 ? kTruncate : 0);
}

Status allow(int ruleset, const std::string& path, std::uint64_t rights) {
    UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!fd) return errno == ENOENT ? Status() : system_failure("open " + path + " for Landlock");
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) return system_failure("stat " + path);
    landlock_path_beneath_attr rule{};
    rule.allowed_access = S_ISDIR(st.st_mode) ? rights : rights & kOnFiles;
    rule.parent_fd = fd.get();
    if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
        return system_failure("add a Landlock rule for " + path);
    return {};
}

} // namespace

std::optional<int> landlock_abi() {
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return abi > 0 ? std::optional(static_cast<int>(abi)) : std::nullopt;
}

Status enforce_landlock(const SessionSpec& spec, int abi) {
    const std::uint64_t writing = write_rights(abi);
    const std::uint64_t device_control = abi >= 5 ? kIoctlDev : 0;
    RulesetAttributes attributes;
    attributes.handled_access_fs = kRead | writing | device_control;
    if (abi >= 6) attributes.scoped = kScopeAbstractUnix | kScopeSignal;
    const std::size_t size = abi >= 6 ? sizeof attributes : abi >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
    UniqueFd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
    if (!ruleset) return system_failure("create a Landlock ruleset");
    if (Status done = allow(ruleset.get(), "/", kRead); !done) return done;
    std::vector<std::string> writable{spec.home, "/tmp", "/var/tmp", "/run", "/dev/shm"};
    if (spec.workspace_writable) writable.push_back(spec.workspace);
    for (const MountSpec& mount : spec.mounts)
        if (mount.mode == MountMode::Write) writable.push_back(mount.path);
    for (const std::string& path : writable)
        if (Status done = allow(ruleset.get(), path, kRead | writing | device_control); !done) return done;
    // Devices and a process's own files in /proc (comm, oom_score_adj, …) are opened for writing, never made.
    const std::uint64_t existing = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | (abi >= 3 ? kTruncate : 0) | device_control;
    for (const char* path : {"/dev", "/proc"})
        if (Status done = allow(ruleset.get(), path, existing); !done) return done;
    if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return system_failure("enforce Landlock");
    return {};
}

} // namespace belljar
