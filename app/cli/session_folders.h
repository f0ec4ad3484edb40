// The folders of one session on disk: made so that nobody else can look in, removed whatever the session left in them.
#pragma once

#include "core/session/paths.h"
#include "core/system/error.h"

#include <string>

namespace belljar::cli {

// Makes state/sessions/<id> with the empty private home in it, and runtime/<id>, mode 0700, with their parents. Refuses
// when a folder of Belljar's on the way is not the caller's own, is no folder (a symlink is none), or lets group or
// others in.
Status make_session_folders(const Paths& paths, const std::string& id);
// Removes them again. What lies inside is hostile: symlinks are not followed, folders without permissions are opened
// up, any depth is taken apart, and no file system boundary is crossed.
Status remove_session_folders(const Paths& paths, const std::string& id);
Status remove_tree(const std::string& path);

} // namespace belljar::cli
