#include "app/client/git_folder.h"

#include "app/client/wording.h"
#include "core/policy/values.h"
#include "core/system/files.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/stat.h>

namespace belljar {
namespace {

constexpr std::size_t kMostOfAFile = 64 * 1024;

std::string real(const std::string& path) { // empty: there is none
    return real_path(path).value_or(std::string());
}

std::string from(const std::string& folder, const std::string& path) {
    return path.starts_with('/') ? path : folder + "/" + path;
}

std::string without_line_end(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    return text;
}

// The content of a file that has one line; empty when it cannot be read.
std::string line_of(const std::string& path) {
    auto content = read_file(path, kMostOfAFile);
    return content ? without_line_end(std::move(*content)) : std::string();
}

// The value of core.worktree, as `git submodule` writes it. (Nobody else needs to be understood.)
std::string worktree_in(const std::string& config) {
    const auto content = read_file(config, kMostOfAFile);
    static constexpr std::string_view key = "\tworktree = ";
    const std::size_t at = content ? content->find(key) : std::string::npos;
    if (at == std::string::npos) return {};
    const std::size_t begin = at + key.size();
    return content->substr(begin, content->find('\n', begin) - begin);
}

bool is_folder(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

// What git needs to see for the workspace whose folder this is: of a worktree the whole repository's. Empty: it does not point back.
std::string needed_for(const std::string& git_folder, const std::string& workspace) {
    const std::string file = real(line_of(git_folder + "/gitdir")); // git-worktree(1)
    if (!file.empty() && file == workspace + "/.git") return real(from(git_folder, line_of(git_folder + "/commondir")));
    const std::string worktree = worktree_in(git_folder + "/config");
    return !worktree.empty() && real(from(git_folder, worktree)) == workspace ? git_folder : std::string();
}

bool is_visible(const SessionSpec& spec, const std::string& path) {
    const auto shows = [&](const MountSpec& mount) { return mount.mode != MountMode::Hide && lies_in(path, mount.path); };
    return lies_in(path, spec.workspace) || std::any_of(spec.mounts.begin(), spec.mounts.end(), shows) ||
           std::any_of(spec.system.begin(), spec.system.end(), [&](const std::string& folder) { return lies_in(path, folder); });
}

} // namespace

std::string note_of_hidden_git_folder(const SessionSpec& spec) {
    auto file = read_file_below(spec.workspace, ".git", kMostOfAFile);
    if (!file) return {};
    static constexpr std::string_view key = "gitdir: ";
    const std::string named = without_line_end(std::move(*file));
    if (!named.starts_with(key)) return {};
    const std::string git_folder = real(from(spec.workspace, named.substr(key.size())));
    // What lies inside is the session's to write, and proves nothing.
    if (git_folder.empty() || lies_in(git_folder, spec.workspace)) return {};
    const std::string needed = needed_for(git_folder, spec.workspace);
    if (needed.empty() || !is_folder(needed + "/objects") || is_visible(spec, needed)) return {};
    const std::string begin = fmt::format("git will find no repository here: its folder {} lies outside of the workspace and is not visible; ",
                                          visible(needed));
    if (lies_in(spec.workspace, needed))
        return begin + "it holds the workspace, so it cannot be shown: make the worktree beside the repository";
    return fmt::format("{}`--read {}`, or filesystem.read in the policy, shows it", begin, quoted_for_shell(visible(needed)));
}

} // namespace belljar
