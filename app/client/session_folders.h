// The folders of one session on disk: made so that nobody else can look in, removed whatever the session left in them.
#pragma once

#include "core/session/paths.h"
#include "core/system/error.h"

#include <cstdint>
#include <string>

namespace belljar {

// Makes state/sessions/<id> with the empty private home in it, and runtime/<id>, mode 0700, with their parents. Refuses
// when a folder of Belljar's on the way is not the caller's own, is no folder (a symlink is none), or lets group or
// others in.
Status make_session_folders(const Paths& paths, const std::string& id);
// Makes state/homes/NAME, mode 0700, where it is missing; the same refusals. The home in it is the helper's to make.
Status make_kept_home(const Paths& paths, const std::string& name);
// Removes them again. What lies inside is hostile: symlinks are not followed, folders without permissions are opened
// up, any depth is taken apart, and no file system boundary is crossed.
Status remove_session_folders(const Paths& paths, const std::string& id);
Status remove_tree(const std::string& path);

struct TreeSize {
    std::uint64_t bytes = 0, files = 0; // on disk; what is no folder. Folders that cannot be read are not counted
    bool whole = true;                  // false when there is more than was looked at
};
// Looks at `most` entries at most; follows no symlinks. An absent folder holds nothing.
TreeSize measure_tree(const std::string& path, std::uint64_t most = UINT64_MAX);

} // namespace belljar
