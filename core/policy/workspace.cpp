// Which folder may become the writable one. A folder chosen by a program (or by a slip) must not turn into a writable
// root.
#include "core/policy/mounts.h"
#include "core/policy/spec_from_policy.h"
#include "core/policy/values.h"
#include "core/system/files.h"

#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace belljar {

std::string real_as_far_as_it_goes(const std::string& path) {
    std::string existing = path;
    while (!existing.empty() && existing != "/") {
        if (const auto found = real_path(existing)) return (*found == "/" ? "" : *found) + path.substr(existing.size());
        existing.resize(std::min(existing.rfind('/'), existing.size()));
    }
    return path;
}

namespace {

// System folders, and what lies in them. Of /run, /var and /opt only the folders themselves: a workspace may lie on a
// medium mounted in /run/media, or in /var/tmp.
bool is_system_folder(std::string_view path) {
    for (const std::string_view folder :
         {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/boot", "/dev", "/proc", "/sys",
          "/run/user", "/var/lib", "/var/log", "/var/cache", "/var/spool"})
        if (lies_in(path, folder)) return true;
    return path.find('/', 1) == std::string_view::npos || path == "/var/tmp" ||
           path == "/run/media"; // /home, /tmp, /srv, …
}

} // namespace

Result<std::string> check_workspace(const std::string& path, const Account& account,
                                    const std::vector<std::string>& own_folders) {
    const std::string what = "workspace " + path;
    if (path.empty() || path.find('\0') != std::string::npos) return failure("workspace", "no path");
    const auto found = real_path(path);
    if (!found) {
        auto error = system_failure(what, found.error().errno_value);
        error.value().next = "name the folder that the session may write to with -C";
        return error;
    }
    struct stat st {};
    if (::stat(found->c_str(), &st) != 0) return system_failure(what);
    if (!S_ISDIR(st.st_mode)) return failure(what, "not a folder", "name the folder that the session may write to");
    const char* next = "name the project's own folder with -C";
    if (*found == "/") return failure(what, "the whole system would be writable", next);
    const std::string home = real_as_far_as_it_goes(account.home);
    if (*found == home) return failure(what, "the whole home would be writable", next);
    if (lies_in(home, *found)) return failure(what, "it holds the home folder " + home, next);
    for (const std::string& own : own_folders) {
        const std::string folder = real_as_far_as_it_goes(own);
        if (lies_in(folder, *found))
            return failure(what, "it holds Belljar's own folder " + folder + ": the record would be writable", next);
        if (lies_in(*found, folder)) return failure(what, "it lies in Belljar's own folder " + folder, next);
    }
    if (is_system_folder(*found)) return failure(what, *found + " is a system folder", next);
    if (st.st_uid != account.uid)
        return failure(what, fmt::format("it belongs to uid {}, not to {}", st.st_uid, account.name),
                       "name a folder that is yours");
    return *found;
}

Status check_workspace_writable(const std::string& workspace) {
    struct statvfs fs {};
    if (::statvfs(workspace.c_str(), &fs) != 0) return system_failure("workspace " + workspace);
    if ((fs.f_flag & ST_RDONLY) == 0) return {};
    return failure("workspace " + workspace, "it lies on a file system that is mounted read-only",
                   "mount it read-write, or use a policy that keeps the workspace read-only");
}

} // namespace belljar
