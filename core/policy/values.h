// The values of a policy that are texts with a meaning: sizes, durations, paths, names. Each is checked where it is
// read, so that the error can name its line. Errors carry the reason in `why`; `what` is empty.
#pragma once

#include "core/system/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace belljar {

// "4GiB": a whole number and one of B, KiB, MiB, GiB, TiB.
Result<std::uint64_t> parse_size(std::string_view text);
// "8h", "1h30m": whole numbers with d, h, m, s, each unit once, the larger first. Seconds; at least one.
Result<std::uint64_t> parse_duration(std::string_view text);

enum class PathForm {
    Absolute,       // "/usr"
    AbsoluteOrHome, // or "~/.cargo"
    AlsoWorkspace,  // or ".env", below the workspace
};
// Without ".", empty parts and a final '/'. An error for "..", control characters, wildcards (they would be taken
// literally and hide nothing), "~name", and what is longer than PATH_MAX.
Result<std::string> check_path(std::string_view text, PathForm form);

// Whether a path may be made visible at all. Not those that the session has of its own (/proc, /sys, /dev, /tmp, the
// made files of /etc), nor those that would show everything at once ("/", /etc, /run, /run/user, "~").
Status check_mountable(std::string_view path);

// A name as the shell takes it, and none of those that the session is given anew (HOME, USER, …).
Status check_environment_name(std::string_view name);

// Whether `path` is `folder` or lies below it. Both absolute and normalised; nothing is looked up.
bool lies_in(std::string_view path, std::string_view folder);

} // namespace belljar
