#include "core/registries/user_files.h"

#include "core/policy/values.h"
#include "core/registries/program.h"
#include "core/system/files.h"
#include "core/system/script.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar {

std::string UserFiles::variable(std::string_view name) const {
    for (const std::string& entry : sources_.environment)
        if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
            return entry.substr(name.size() + 1);
    return {};
}

std::string UserFiles::home(std::string_view below) const {
    return sources_.home + std::string(below);
}

std::string UserFiles::config_home() const {
    const std::string xdg = variable("XDG_CONFIG_HOME");
    return xdg.starts_with('/') ? xdg : home("/.config");
}

std::string UserFiles::shown(const std::string& path) const {
    return path.starts_with(sources_.home + "/") ? "~" + path.substr(sources_.home.size()) : path;
}

bool UserFiles::is_foreign(const std::string& path) const {
    return std::any_of(sources_.foreign.begin(), sources_.foreign.end(), [&](const std::string& folder) {
        return lies_in(path, folder) || lies_in(path, real_path(folder).value_or(folder));
    });
}

Result<std::optional<std::string>> UserFiles::read(const std::string& path) const {
    const auto found = real_path(path);
    if (!found) {
        const int error = found.error().errno_value;
        if (error == ENOENT || error == ENOTDIR) return std::nullopt;
        return system_failure("read " + shown(path), error);
    }
    if (is_foreign(*found) || is_foreign(path))
        return failure("read " + shown(path), "it lies where a session may write, so it is nobody's word",
                       "write the hosts into egress.allow instead");
    auto text = read_file(*found);
    if (!text) return failure("read " + shown(path), text.error().why, text.error().next);
    return std::move(*text);
}

std::vector<std::string> UserFiles::list(const std::string& folder) const {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> UserFiles::own_path() const {
    std::vector<std::string> folders;
    const std::string path = variable("PATH");
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find(':', start), path.size());
        const std::string folder = path.substr(start, end - start);
        start = end + 1;
        if (!folder.starts_with('/')) continue;
        const auto found = real_path(folder);
        if (found && !is_foreign(*found) && !is_foreign(folder)) folders.push_back(folder);
    }
    return folders;
}

std::vector<std::string> UserFiles::candidates(const std::string& name) const {
    std::vector<std::string> paths;
    for (const std::string& folder : own_path()) {
        const std::string path = folder + "/" + name;
        struct stat st {};
        if (::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(path.c_str(), X_OK) == 0) paths.push_back(path);
    }
    return paths;
}

// Neither a foreign program nor a script that one would run. A script whose first line is not understood is no better.
bool UserFiles::is_own_program(const std::string& path, int depth) const {
    const auto found = real_path(path);
    if (!found || is_foreign(*found) || is_foreign(path)) return false;
    const auto line = interpreter_words(*found);
    if (!line) return true;
    std::vector<std::string> parts = *line;
    if (depth == 0 || parts.empty() || !parts[0].starts_with('/') || !is_own_program(parts[0], depth - 1)) return false;
    if (!parts[0].ends_with("/env")) return true;
    parts.erase(parts.begin());
    if (!parts.empty() && parts[0] == "-S") parts.erase(parts.begin());
    if (parts.empty() || parts[0].starts_with('-') || parts[0].find_first_of("=/\\\"'$") != std::string::npos) return false;
    const auto paths = candidates(parts[0]); // env takes the first, whatever it is
    return !paths.empty() && is_own_program(paths[0], depth - 1);
}

std::optional<std::string> UserFiles::program(const std::string& name) const {
    for (const std::string& path : candidates(name))
        if (is_own_program(path)) return path;
    return std::nullopt;
}

std::optional<std::string> UserFiles::ask(const std::vector<std::string>& argv, const std::vector<std::string>& more) const {
    const auto path = program(argv.front());
    if (!path) return std::nullopt;
    std::string folders;
    for (const std::string& folder : own_path())
        folders += (folders.empty() ? "" : ":") + folder;
    // No home: what lies there was read above as far as it may be believed, and may hold code (Python's usercustomize.py).
    std::vector<std::string> environment{"HOME=/dev/null", "PATH=" + folders, "LANG=C.UTF-8", "COLUMNS=1000"};
    environment.insert(environment.end(), more.begin(), more.end());
    return run_program(*path, argv, environment, deadline_);
}

} // namespace belljar
