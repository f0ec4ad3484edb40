#include "helper/builder/mounts.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar {
namespace {

std::string relative(const std::string& path) {
    const std::size_t start = path.find_first_not_of('/');
    return start == std::string::npos ? "." : path.substr(start);
}

Result<UniqueFd> open_resolved(int root, const std::string& path, std::uint64_t resolve, std::uint64_t flags = O_PATH) {
    open_how how{};
    how.flags = flags | O_CLOEXEC;
    how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
    const std::string below = relative(path);
    const long fd = ::syscall(SYS_openat2, root, below.c_str(), &how, sizeof how);
    if (fd < 0) return system_failure("open " + path);
    return UniqueFd(static_cast<int>(fd));
}

// What an earlier session left where a mount goes now, in a workspace or a kept home, is not followed and not removed.
tl::unexpected<Error> obstructed(const std::string& path, const Error& error) {
    const int number = error.errno_value;
    if (number != ELOOP && number != ENOTDIR) return tl::unexpected(error);
    auto failed = failure("make mount point " + path, number == ELOOP ? "a symbolic link lies there, or on the way" : "a file lies on the way",
                          "remove it, in the workspace or, from a session with the same, in the kept home");
    failed.value().errno_value = number;
    return failed;
}

} // namespace

Result<UniqueFd> open_below(int root, const std::string& path) { return open_resolved(root, path, RESOLVE_IN_ROOT); }

Result<UniqueFd> open_target(int root, const std::string& path) {
    return open_resolved(root, path, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

Result<UniqueFd> make_target_folder(int root, const std::string& path) {
    if (auto there = open_target(root, path)) return there;
    // Step by step from the top, each step without symlinks.
    auto folder = open_target(root, "/");
    const std::string below = relative(path);
    for (std::size_t start = 0; folder && start < below.size();) {
        const std::size_t slash = std::min(below.find('/', start), below.size());
        const std::string part = below.substr(start, slash - start);
        start = slash + 1;
        if (part.empty()) continue;
        if (::mkdirat(folder->get(), part.c_str(), 0755) != 0 && errno != EEXIST)
            return system_failure("make mount point " + path);
        folder = open_target(folder->get(), part);
    }
    if (!folder) return obstructed(path, folder.error());
    return folder;
}

Result<UniqueFd> make_target_file(int root, const std::string& path) {
    if (auto there = open_target(root, path)) return there;
    const std::size_t slash = path.rfind('/');
    auto folder = make_target_folder(root, path.substr(0, slash == 0 ? 1 : slash));
    if (!folder) return folder;
    const std::string name = path.substr(slash + 1);
    UniqueFd made(::openat(folder->get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!made && errno != EEXIST) return system_failure("make mount point " + path);
    auto file = open_target(folder->get(), name);
    if (!file) return obstructed(path, file.error());
    return file;
}

Result<UniqueFd> clone_tree(int source, const BindFlags& flags, const std::string& name) {
    const long tree = ::syscall(SYS_open_tree, source, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0) return system_failure("clone mount " + name);
    UniqueFd owned(static_cast<int>(tree));
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_NOSUID;
    if (flags.read_only) attributes.attr_set |= MOUNT_ATTR_RDONLY;
    if (!flags.devices) attributes.attr_set |= MOUNT_ATTR_NODEV;
    if (flags.no_execute) attributes.attr_set |= MOUNT_ATTR_NOEXEC;
    attributes.propagation = MS_PRIVATE;
    if (::syscall(SYS_mount_setattr, owned.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0)
        return system_failure("set mount flags of " + name);
    return owned;
}

Status attach(int tree, int target, const std::string& name) {
    if (::syscall(SYS_move_mount, tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0) return {};
    if (errno != EINVAL && errno != ENOTDIR) return system_failure("mount " + name);
    auto failed = system_failure("mount " + name); // move_mount(2) knows no better word for a file on a folder
    failed.value().next = "where one of the two is a file and the other a folder, remove the mount point, in the workspace or in the kept home";
    return failed;
}

Status bind(int source, int target, const BindFlags& flags, const std::string& name) {
    auto tree = clone_tree(source, flags, name);
    if (!tree) return tl::unexpected(tree.error());
    return attach(tree->get(), target, name);
}

Result<Roots> enter_fresh_root(const std::string& options) {
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return system_failure("make mounts private");
    // Over /proc, because every root has that folder; pivot_root(2) moves it away from there at once, so nothing is hidden.
    if (::mount("belljar", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) return system_failure("mount the new root");
    if (::chdir("/proc") != 0) return system_failure("enter the new root");
    if (::mkdir("oldroot", 0700) != 0) return system_failure("make /oldroot");
    if (::syscall(SYS_pivot_root, ".", "oldroot") != 0) return system_failure("pivot_root");
    if (::chdir("/") != 0) return system_failure("enter the new root");
    Roots roots;
    roots.fresh.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    roots.old.reset(::open("/oldroot", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!roots.fresh || !roots.old) return system_failure("open the roots");
    return roots;
}

Status leave_old_root(bool no_execute) {
    if (::umount2("/oldroot", MNT_DETACH) != 0) return system_failure("let go of the old root");
    if (::rmdir("/oldroot") != 0) return system_failure("remove /oldroot");
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (no_execute ? MOUNT_ATTR_NOEXEC : 0);
    if (::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes) != 0)
        return system_failure("make the root read-only");
    return {};
}

} // namespace belljar
