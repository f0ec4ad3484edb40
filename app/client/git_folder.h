// The git folder of a worktree or a submodule lies elsewhere: its `.git` is a file that names the place
// (gitrepository-layout(5)). Where that place is not visible inside, git only says that there is no repository; `run` says which
// path would show it.
#pragma once

#include "core/session/spec.h"

#include <string>

namespace belljar {

// One line for the user, or nothing: `.git` is a folder or is not there, what it names is visible, or is not this workspace's. The
// file comes with the workspace, so from anyone: a place is named only when it points back at the workspace, as git makes both.
std::string note_of_hidden_git_folder(const SessionSpec& spec);

} // namespace belljar
