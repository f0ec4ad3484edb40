// Small whole files: read with a cap, written so that a reader sees the old or the new content, never half of it.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace belljar {

// Reads a regular file of at most `limit` bytes; a larger one is an error, never cut.
Result<std::string> read_file(const std::string& path, std::size_t limit = 1u << 20);
// The same of a file below `folder`, for folders whose content is not trusted: a symbolic link on the way from there, and one
// that leads out, is an error (openat2(2): RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS).
Result<std::string> read_file_below(const std::string& folder, const std::string& relative, std::size_t limit = 1u << 20);
Result<std::string> read_all(int fd, const std::string& name, std::size_t limit = 1u << 20);
Status write_all(int fd, std::string_view bytes, const std::string& name);
// Writes beside the target and renames over it (rename(2)); mode as given.
Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// Writes into an existing file in one write(2), as /proc and /sys want it. No file is created.
Status write_existing(const std::string& path, std::string_view bytes);
// Absolute, with no symbolic link in it (realpath(3)). The Error carries the errno.
Result<std::string> real_path(const std::string& path);
// Gives the owner of a folder read, write and search on it (mode bits 0700), by an O_PATH descriptor: no link is followed.
Status make_enterable(int folder);
// mkdir -p; folders it makes get `mode`. An existing folder is left as it is.
Status make_folders(const std::string& path, mode_t mode = 0700);

} // namespace belljar
