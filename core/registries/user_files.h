// The user's own configuration, as the finders of this room see it: environment, files below the home and of the system, and
// what the tool itself answers. Never a file that a session may write to: a workspace comes from anyone.
#pragma once

#include "core/system/error.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// What the caller knows of the machine.
struct RegistrySources {
    std::vector<std::string> environment; // the user's, NAME=VALUE
    std::string home;
    std::string etc = "/etc"; // of the machine
    std::vector<std::string> foreign; // absolute folders whose content is not the user's alone: the workspace, filesystem.write
};

// One for each word.
class UserFiles {
public:
    static constexpr std::chrono::seconds kPatience{10};
    explicit UserFiles(const RegistrySources& sources) : sources_(sources) {}

    // The value of a variable; empty when it is not set. The first of two counts, as for getenv(3).
    std::string variable(std::string_view name) const;
    const std::vector<std::string>& environment() const { return sources_.environment; }
    std::string home(std::string_view below = {}) const; // "/home/u" + "/.npmrc"
    std::string etc(std::string_view below) const { return sources_.etc + std::string(below); }
    std::string config_home() const;                     // $XDG_CONFIG_HOME, else ~/.config
    std::string shown(const std::string& path) const;    // with "~" for the home

    // nullopt where there is none. An Error for one that cannot be read, or that a session could have written.
    Result<std::optional<std::string>> read(const std::string& path) const;
    // Names in a folder, sorted; none where there is no such folder.
    std::vector<std::string> list(const std::string& folder) const;
    // Runs a program of the user's PATH in "/", with PATH, `more` and no home for an environment, and returns what it says on
    // standard output; nullopt where there is none, it fails, or takes longer than what
    // all that this one is asked may take together. Entries of PATH that are
    // relative or lead into a foreign folder are passed over, and are not in the program's own PATH; so are programs that are
    // foreign, or scripts of an interpreter that is.
    std::optional<std::string> ask(const std::vector<std::string>& argv, const std::vector<std::string>& more = {}) const;
    std::optional<std::string> program(const std::string& name) const; // where ask() would find it, real

private:
    bool is_foreign(const std::string& path) const; // real path
    std::vector<std::string> own_path() const;
    std::vector<std::string> candidates(const std::string& name) const; // in the order of the PATH
    bool is_own_program(const std::string& path, int depth = 4) const;  // as many interpreters does the kernel follow

    const RegistrySources& sources_;
    const std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + kPatience; // of all that is asked
};

} // namespace belljar
