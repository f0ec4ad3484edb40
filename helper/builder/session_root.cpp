#include "helper/builder/session_root.h"

#include "core/session/paths.h"
#include "core/system/files.h"
#include "helper/builder/mounts.h"
#include "helper/builder/namespaces.h"
#include "helper/builder/network.h"
#include "helper/builder/session_devices.h"
#include "helper/builder/session_etc.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace belljar {
namespace {

// One thing to be mounted at its own path; parents come before what lies below them.
struct Placement {
    std::string path;    // where it appears
    std::string source;  // where it is on the host
    BindFlags flags;
    bool optional = false; // left out where the host has none
};

bool is_folder(int fd) {
    struct stat st {};
    return ::fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

constexpr off_t kSmallFile = 64 * 1024;

// A small file of the system (most of /etc) is copied as it is now: a mount each would be a quarter of the launch. False: it
// could not be read, and is to be bound.
Result<bool> copy_small(const Roots& roots, int source_folder, const std::string& name, const std::string& path, const struct stat& facts) {
    if (!S_ISREG(facts.st_mode) || facts.st_size > kSmallFile) return false;
    const UniqueFd source(::openat(source_folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!source) return false;
    const auto content = read_all(source.get(), path, kSmallFile);
    if (!content) return false;
    const auto into = make_target_folder(roots.fresh.get(), path.substr(0, path.rfind('/')));
    if (!into) return tl::unexpected(into.error());
    const UniqueFd copy(::openat(into->get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, facts.st_mode & 0555));
    if (!copy) return errno == EEXIST ? Result<bool>(true) : system_failure("make " + path);
    if (Status written = write_all(copy.get(), *content, path); !written) return tl::unexpected(written.error());
    return true;
}

// The visible system: a symlink (merged /usr: /bin → usr/bin) is made again, a small file copied, everything else bound read-only.
Status place_system(const Roots& roots, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == 0 ? "/" : path.substr(0, slash);
    const std::string name = path.substr(slash + 1);
    const auto source_folder = open_below(roots.old.get(), folder);
    if (!source_folder) return {}; // absent on this machine
    struct stat st {};
    if (::fstatat(source_folder->get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return {};
    if (S_ISLNK(st.st_mode)) {
        char target[4096];
        const ssize_t n = ::readlinkat(source_folder->get(), name.c_str(), target, sizeof target - 1);
        if (n <= 0) return system_failure("read link " + path);
        target[n] = '\0';
        auto into = make_target_folder(roots.fresh.get(), folder);
        if (!into) return tl::unexpected(into.error());
        if (::symlinkat(target, into->get(), name.c_str()) != 0 && errno != EEXIST) return system_failure("make link " + path);
        return {};
    }
    const auto copied = copy_small(roots, source_folder->get(), name, path, st);
    if (!copied) return tl::unexpected(copied.error());
    if (*copied) return {};
    const auto source = open_target(source_folder->get(), name);
    if (!source) return tl::unexpected(source.error());
    auto target = S_ISDIR(st.st_mode) ? make_target_folder(roots.fresh.get(), path) : make_target_file(roots.fresh.get(), path);
    if (!target) return tl::unexpected(target.error());
    return bind(source->get(), target->get(), BindFlags{}, path);
}

Status place(const Roots& roots, const Placement& placement) {
    const auto source = open_below(roots.old.get(), placement.source);
    if (!source) {
        if (placement.optional) return {};
        return tl::unexpected(source.error());
    }
    auto target = is_folder(source->get()) ? make_target_folder(roots.fresh.get(), placement.path)
                                           : make_target_file(roots.fresh.get(), placement.path);
    if (!target) return tl::unexpected(target.error());
    return bind(source->get(), target->get(), placement.flags, placement.path);
}

// The folders between a writable place and what is masked or read-only in it, parents first.
std::set<std::string> parents_to_pin(const SessionSpec& spec) {
    std::vector<std::string> writable;
    if (spec.workspace_writable) writable.push_back(spec.workspace);
    for (const MountSpec& mount : spec.mounts)
        if (mount.mode == MountMode::Write) writable.push_back(mount.path);
    std::set<std::string> parents;
    for (const MountSpec& mount : spec.mounts)
        for (const std::string& top : writable)
            if (mount.mode != MountMode::Write && mount.path.starts_with(top + "/"))
                for (std::string folder = mount.path; (folder.resize(folder.rfind('/')), folder.size() > top.size());)
                    parents.insert(folder);
    return parents;
}

// Who renames the parent of a mask has what lies under it by another name in the next session. A folder that is a mount point
// cannot be renamed (rename(2): EBUSY), so each is bound on itself.
Status pin_parents(const Roots& roots, const SessionSpec& spec) {
    for (const std::string& path : parents_to_pin(spec)) {
        const auto folder = open_target(roots.fresh.get(), path);
        if (!folder && folder.error().errno_value == ENOENT) continue;
        if (!folder) return tl::unexpected(folder.error());
        if (Status pinned = bind(folder->get(), folder->get(), BindFlags{.read_only = false}, path); !pinned) return pinned;
    }
    return {};
}

// Masks a path that is visible: an empty read-only folder or file over it. Absent ones are left absent.
Status hide(const Roots& roots, const std::string& path) {
    const auto target = open_target(roots.fresh.get(), path);
    if (!target) return target.error().errno_value == ENOENT || target.error().errno_value == ENOTDIR ? Status() : tl::unexpected(target.error());
    const auto mask = open_target(roots.fresh.get(), is_folder(target->get()) ? "/.mask/folder" : "/.mask/file");
    if (!mask) return tl::unexpected(mask.error());
    return bind(mask->get(), target->get(), BindFlags{.no_execute = true}, "the mask of " + path);
}

// Writable folders of the private root. They are mounts of their own on the same tmpfs, so that one size holds for all and
// the root itself can be read-only.
Status place_scratch(const Roots& roots, const std::string& path, mode_t mode) {
    auto folder = make_target_folder(roots.fresh.get(), path);
    if (!folder) return tl::unexpected(folder.error());
    if (::chmod(path.c_str(), mode) != 0) return system_failure("set mode of " + path);
    return bind(folder->get(), folder->get(), BindFlags{.read_only = false}, path);
}

Status place_proc() {
    if (::mkdir("/proc", 0555) != 0) return system_failure("make /proc");
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
        auto error = system_failure("mount /proc");
        error.value().next = "inside a container the outer /proc must not be masked; `belljar doctor` checks this";
        return error;
    }
    return {};
}

// What the OCI runtime specification masks and makes read-only in /proc (config-linux.md: Masked Paths, Readonly Paths), and
// what else a session has no use for. (kmsg and kpage* are root's alone, and no root is mapped.)
Status restrict_proc(const Roots& roots) {
    for (const char* path : {"/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
                             "/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/proc/kallsyms",
                             "/proc/key-users"})
        if (Status done = hide(roots, path); !done) return done;
    for (const char* path : {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}) {
        const auto target = open_target(roots.fresh.get(), path);
        if (!target) continue; // this kernel has none
        if (Status done = bind(target->get(), target->get(), BindFlags{.no_execute = true}, path); !done) return done;
    }
    return {};
}

std::vector<Placement> placements(const SessionSpec& spec) {
    std::vector<Placement> list;
    const std::string& home = spec.kept_home.empty() ? spec.state_folder : spec.kept_home;
    list.push_back({spec.home, home + "/" + kHomeFolder, {.read_only = false}});
    list.push_back({spec.workspace, spec.workspace, {.read_only = !spec.workspace_writable}});
    for (const MountSpec& mount : spec.mounts)
        if (mount.mode != MountMode::Hide)
            list.push_back({mount.path, mount.path, {.read_only = mount.mode == MountMode::Read}, true});
    std::stable_sort(list.begin(), list.end(), [](const Placement& a, const Placement& b) {
        return std::count(a.path.begin(), a.path.end(), '/') < std::count(b.path.begin(), b.path.end(), '/');
    });
    return list;
}

Status make_masks(const Roots& roots) {
    auto folder = make_target_folder(roots.fresh.get(), "/.mask/folder");
    if (!folder) return tl::unexpected(folder.error());
    auto file = make_target_file(roots.fresh.get(), "/.mask/file");
    if (!file) return tl::unexpected(file.error());
    if (::chmod("/.mask/folder", 0555) != 0 || ::chmod("/.mask/file", 0444) != 0) return system_failure("set mode of the masks");
    return {};
}

// The masks live on in the mounts made of them; their names go.
Status remove_masks() {
    if (::unlink("/.mask/file") != 0 || ::rmdir("/.mask/folder") != 0 || ::rmdir("/.mask") != 0) return system_failure("remove the masks");
    return {};
}

} // namespace

Result<SessionRoot> make_session_root(const SessionSpec& spec) {
    ::umask(0022);
    auto roots = enter_fresh_root(fmt::format("mode=0755,size={},nr_inodes=1048576", spec.limits.scratch_bytes));
    if (!roots) return tl::unexpected(roots.error());
    SessionRoot made;
    const auto all = [&]() -> Status {
        if (Status done = make_masks(*roots); !done) return done;
        for (const std::string& path : spec.system)
            if (Status done = place_system(*roots, path); !done) return done;
        if (Status done = write_session_etc(spec); !done) return done;
        if (Status done = place_proc(); !done) return done;
        if (Status done = write_network_sysctls(); !done) return done;
        if (Status done = limit_namespaces_inside(spec.syscalls.nested); !done) return done;
        for (const auto& [path, mode] : {std::pair{"/tmp", mode_t{01777}}, {"/var/tmp", mode_t{01777}}, {"/run", mode_t{0755}}})
            if (Status done = place_scratch(*roots, path, mode); !done) return done;
        if (Status done = make_session_devices(*roots); !done) return done;
        for (const Placement& placement : placements(spec))
            if (Status done = place(*roots, placement); !done) return done;
        if (Status done = pin_parents(*roots, spec); !done) return done;
        for (const MountSpec& mount : spec.mounts)
            if (mount.mode == MountMode::Hide)
                if (Status done = hide(*roots, mount.path); !done) return done;
        if (Status done = restrict_proc(*roots); !done) return done;
        if (Status done = remove_masks(); !done) return done;
        return leave_old_root(false);
    }();
    if (!all) return tl::unexpected(all.error());
    if (spec.terminal.any()) {
        auto master = open_session_terminal(spec.terminal);
        if (!master) return tl::unexpected(master.error());
        made.pty_master = std::move(*master);
    }
    if (::chdir(spec.working_directory.c_str()) != 0) return system_failure("enter the working directory " + visible(spec.working_directory));
    return made;
}

} // namespace belljar
