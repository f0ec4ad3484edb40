// Mounts by descriptor (mount_setattr(2), open_tree(2), move_mount(2), openat2(2)): a source is opened below one root, a
// target below another, and neither path may leave it, follow a magic link, or (targets) any symlink at all.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace belljar {

// What a bind mount may do, beside nosuid, which all have.
struct BindFlags {
    bool read_only = true;
    bool devices = false;    // device nodes work (for the few in /dev)
    bool no_execute = false;
};

// O_PATH on `path` (absolute) below `root`; symlinks resolve inside `root`.
Result<UniqueFd> open_below(int root, const std::string& path);
// Like open_below, but any symlink on the way is ELOOP: for targets, which may lie in folders that a session wrote.
Result<UniqueFd> open_target(int root, const std::string& path);
// Makes the folders of `path` below `root` where they are missing (mode 0755), and opens the last.
Result<UniqueFd> make_target_folder(int root, const std::string& path);
// The same for a file: its folders, and an empty file where nothing is.
Result<UniqueFd> make_target_file(int root, const std::string& path);

// A private copy of the mount tree at `source` (an O_PATH descriptor), submounts included, with the flags applied to all of it.
Result<UniqueFd> clone_tree(int source, const BindFlags& flags, const std::string& name);
// Attaches a detached tree.
Status attach(int tree, int target, const std::string& name);
// clone_tree + attach.
Status bind(int source, int target, const BindFlags& flags, const std::string& name);

// Mounts a new tmpfs and makes it the root; the old root is at /oldroot inside. Returns O_PATH descriptors of both.
// Must be called in a new mount namespace. `options` as in tmpfs(5).
struct Roots { UniqueFd fresh, old; };
Result<Roots> enter_fresh_root(const std::string& options);
// Lets go of the old root and makes the new one (that one mount, not what is mounted on it) read-only.
Status leave_old_root(bool no_execute);

} // namespace belljar
