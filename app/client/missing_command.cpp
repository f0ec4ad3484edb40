#include "app/client/missing_command.h"

#include "app/client/wording.h"
#include "core/policy/values.h"
#include "core/system/files.h"
#include "core/system/script.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace belljar {
namespace {

constexpr int kMostSteps = 40; // links and interpreters on the way to one program

std::string real(const std::string& path) { // empty: there is none
    return real_path(path).value_or(std::string());
}

bool exists(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// `path` up to the first part behind `folder`: "/opt/tool" of "/opt/tool/bin/x". Empty when there is none.
std::string first_below(const std::string& path, const std::string& folder) {
    if (!path.starts_with(folder + "/")) return {};
    const std::size_t end = path.find('/', folder.size() + 1);
    return end == std::string::npos ? std::string() : path.substr(0, end);
}

class Search {
public:
    explicit Search(const SessionSpec& spec) : spec_(spec) {}

    // Where the shell outside would find the command; empty where it would not.
    std::string find(const std::string& command) const {
        if (command.find('/') != std::string::npos) {
            const std::string path = command[0] == '/' ? command : spec_.working_directory + "/" + command;
            return exists(path) ? path : std::string();
        }
        std::string other; // there, but not to be executed
        const std::string path = variable("PATH");
        for (std::size_t start = 0; start <= path.size();) {
            const std::size_t end = std::min(path.find(':', start), path.size());
            const std::string folder = path.substr(start, end - start);
            start = end + 1;
            const std::string candidate = (folder.starts_with('/') ? folder : spec_.working_directory + "/" + folder) + "/" + command;
            struct stat st {};
            if (::stat(candidate.c_str(), &st) != 0) continue;
            if (S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0) return candidate;
            if (other.empty()) other = candidate;
        }
        return other;
    }

    // Follows the links and interpreters of a program, and notes what of them is not visible.
    // Only what ends in a program: a name behind `#!` is the session's to write, and must not put any other file into our mouth.
    void follow(std::string path) {
        std::vector<std::string> unseen;
        for (int step = 0; step < kMostSteps; ++step) {
            const std::string folder = real(folder_of(path));
            if (folder.empty()) return missing_ = path, void();
            path = (folder == "/" ? "" : folder) + "/" + name_of(path);
            if (hidden(path)) return masked_ = path, void();
            if (!visible(path)) unseen.push_back(path);
            char target[PATH_MAX];
            const ssize_t length = ::readlink(path.c_str(), target, sizeof target - 1);
            if (length > 0) {
                const std::string to(target, static_cast<std::size_t>(length));
                path = to[0] == '/' ? to : folder + "/" + to;
                continue;
            }
            if (!exists(path)) return missing_ = path, void();
            struct stat st {};
            if (::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0) return;
            for (const std::string& each : std::exchange(unseen, {}))
                need(each);
            program_ = path;
            const std::string interpreter = interpreter_of(path);
            if (interpreter.empty()) return;
            path = interpreter;
        }
    }

    bool hidden(const std::string& path) const {
        return std::any_of(spec_.mounts.begin(), spec_.mounts.end(), [&](const MountSpec& mount) {
            return mount.mode == MountMode::Hide && lies_in(path, mount.path);
        });
    }
    bool visible(const std::string& path) const {
        if (hidden(path)) return false;
        if (lies_in(path, spec_.workspace)) return true;
        for (const MountSpec& mount : spec_.mounts)
            if (lies_in(path, mount.path)) return true;
        return std::any_of(spec_.system.begin(), spec_.system.end(), [&](const std::string& folder) {
            return lies_in(path, folder) || lies_in(path, real(folder).empty() ? folder : real(folder));
        });
    }

    const std::vector<std::string>& needs() const { return needs_; }
    const std::string& missing() const { return missing_; } // the end of a link or `#!` that does not exist outside either
    const std::string& program() const { return program_; }
    const std::string& masked() const { return masked_; }  // by the policy

    std::string shown(const std::string& path) const {
        return belljar::visible(lies_in(path, spec_.home) ? "~" + path.substr(spec_.home.size()) : path);
    }

    // What `#!` names: for env(1) the program that it would look for.
    std::string interpreter_of(const std::string& script) const {
        const std::vector<std::string> words = interpreter_words(script).value_or(std::vector<std::string>());
        if (words.empty()) return {};
        if (name_of(words[0]) != "env") return words[0];
        for (std::size_t i = 1; i < words.size(); ++i)
            if (!words[i].starts_with('-') && words[i].find('=') == std::string::npos) return find(words[i]);
        return {};
    }

private:
    std::string variable(std::string_view name) const {
        for (const std::string& entry : spec_.environment)
            if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
                return entry.substr(name.size() + 1);
        return {};
    }

    // An installation tree of its own, such as ~/.nvm/versions/node/v20: to be shown as a whole, libraries and all. Not what
    // holds more than programs.
    bool is_prefix(const std::string& folder) const {
        for (const std::string& other : {std::string("/"), std::string("/usr"), spec_.home, spec_.home + "/.local", spec_.home + "/.cargo"})
            if (folder == other) return false;
        return exists(folder + "/lib") || exists(folder + "/lib64") || exists(folder + "/pyvenv.cfg");
    }

    // What to show, so that the file or link is there with what belongs to it.
    std::string cover(const std::string& path) const {
        for (const std::string& folder : {std::string("/opt"), spec_.home + "/.local/share", spec_.home + "/.local/pipx/venvs"})
            if (std::string whole = first_below(path, folder); !whole.empty()) return whole;
        const std::string folder = folder_of(path), above = folder_of(folder);
        if (name_of(folder) == "bin" && is_prefix(above)) return above;
        if (name_of(folder) == "shims" && above != spec_.home) return above; // pyenv and its like: scripts that call what lies above
        if (const std::size_t modules = path.find("/node_modules/"); modules != std::string::npos)
            return path.substr(0, modules + std::string_view("/node_modules").size());
        // ~/.ssh and its like hold more than a program that somebody may have put there.
        if (folder_of(folder) == spec_.home && name_of(folder).starts_with('.')) return path;
        return folder;
    }

    void need(const std::string& path) {
        std::string show = cover(path);
        const bool fits = show.rfind('/') > 0 && check_mountable(show) && !lies_in(spec_.home, show) && !lies_in(spec_.workspace, show);
        if (!fits) show = path;
        for (const std::string& other : needs_)
            if (lies_in(show, other)) return;
        std::erase_if(needs_, [&](const std::string& other) { return lies_in(other, show); });
        needs_.push_back(std::move(show));
    }

    const SessionSpec& spec_;
    std::vector<std::string> needs_;
    std::string missing_, program_, masked_;
};

std::string how_to_show(const Search& search) {
    std::string options, list;
    for (const std::string& path : search.needs()) {
        options += (options.empty() ? "" : " ") + ("--read " + quoted_for_shell(search.shown(path)));
        list += (list.empty() ? "\"" : ", \"") + search.shown(path) + "\"";
    }
    return fmt::format("`{}` shows it, or in the policy's [filesystem]: read = [{}]", options, list);
}

// 126: it is there, and is no program.
Error no_program(const Search& search, const std::string& what, const std::string& path, const std::string& reason) {
    struct stat st {};
    const std::string at = search.shown(real(path).empty() ? path : real(path));
    if (::stat(path.c_str(), &st) != 0) return Error{reason, {}, "it must be a program, or a script with `#!` and `chmod +x`", 0};
    if (S_ISDIR(st.st_mode)) return Error{what, at + " is a folder", "name the program in it", 0};
    if (!S_ISREG(st.st_mode)) return Error{what, at + " is no file", "name a program", 0};
    if ((st.st_mode & 0111) == 0) return Error{what, at + " is not executable", "`chmod +x " + quoted_for_shell(at) + "` makes it so", 0};
    struct statvfs system {};
    if (::statvfs(path.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0)
        return Error{what, at + " lies on a file system mounted noexec", "copy it to another one, or remount that with exec", 0};
    if (const std::string interpreter = search.interpreter_of(path); !interpreter.empty()) {
        if (::stat(interpreter.c_str(), &st) == 0 && S_ISDIR(st.st_mode))
            return Error{what, fmt::format("the interpreter in the first line of {}, {}, is a folder", at, search.shown(interpreter)),
                         "name a program behind `#!`", 0};
        if (::access(interpreter.c_str(), X_OK) != 0)
            return Error{what, fmt::format("the interpreter in the first line of {}, {}, is not executable", at, search.shown(interpreter)),
                         "name a program behind `#!`", 0};
    }
    return Error{reason, {}, "it must be a program, or a script with `#!` and `chmod +x`", 0};
}

} // namespace

Error explain_not_executed(const SessionSpec& spec, int status, const std::string& reason) {
    const std::string& command = spec.argv.front();
    const std::string what = "cannot execute " + visible(command);
    Search search(spec);
    const std::string path = search.find(command);
    if (path.empty()) {
        if (command.find('/') != std::string::npos) return Error{what, "there is no such file", "name a program that is there", 0};
        return Error{what, "no folder of PATH has a program of that name", "install it, or give its path", 0};
    }
    if (status != 127) return no_program(search, what, path, reason);
    search.follow(path);
    if (!search.missing().empty()) {
        const char* kind = search.program().empty() ? "it is a link to {}, which is not there" : "its first line names the interpreter {}, which is not there";
        return Error{what, fmt::format(fmt::runtime(kind), search.shown(search.missing())), "install that, or name another program", 0};
    }
    if (!search.masked().empty())
        return Error{what, search.shown(search.masked()) + " is hidden by the policy's filesystem.hide", "take it out of there", 0};
    if (search.needs().empty()) return Error{what, "it, or the loader that it asks for, is not there", "it may be made for another system", 0};
    const bool itself = !search.visible(real(path)) || !search.visible(real(folder_of(path)) + "/" + name_of(path));
    return Error{what, itself ? search.shown(path) + " is not visible inside" : "its interpreter is not visible inside", how_to_show(search), 0};
}

std::optional<Error> explain_missing_interpreter(const SessionSpec& spec) {
    Search search(spec);
    const std::string path = search.find(spec.argv.front());
    if (path.empty() || search.interpreter_of(real(path)).empty()) return std::nullopt;
    search.follow(path);
    if (search.needs().empty()) return std::nullopt;
    return Error{visible(spec.argv.front()), "its interpreter is not visible inside", how_to_show(search), 0};
}

} // namespace belljar
