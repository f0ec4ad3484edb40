#include "app/client/session_folders.h"

#include "core/session/identity.h"
#include "core/system/files.h"
#include "core/system/unique_fd.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar {
namespace {

// A folder deeper than this is first moved up beside the others: the walk needs one descriptor for each level.
constexpr int kMaxDepth = 32;

Status check_private(const std::string& path) {
    struct stat st {};
    if (::lstat(path.c_str(), &st) != 0) return system_failure("look at " + path);
    if (!S_ISDIR(st.st_mode)) return failure("folder " + path, "is not a folder", "move it away");
    if (st.st_uid != ::geteuid())
        return failure("folder " + path, fmt::format("belongs to uid {}, not to you", st.st_uid), "move it away");
    if (st.st_mode & 077)
        return failure("folder " + path, fmt::format("lets others in (mode {:04o})", st.st_mode & 07777),
                       fmt::format("chmod 700 '{}'", path));
    return {};
}

Status make_private(const std::string& folder, bool must_be_new) {
    if (::mkdir(folder.c_str(), 0700) == 0) return {};
    if (errno == EEXIST && !must_be_new) return check_private(folder);
    return system_failure("make folder " + folder);
}

Status make_parent(const std::string& folder) {
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos || slash == 0) return {};
    struct stat st {};
    if (::stat(folder.substr(0, slash).c_str(), &st) == 0) return {};
    return make_folders(folder.substr(0, slash), 0700);
}

// A session may have closed its own folder to its owner.
Status open_up(int folder, const std::string& name) {
    const UniqueFd inner(::openat(folder, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner) return errno == ENOTDIR || errno == ENOENT ? Status() : system_failure("open folder " + name);
    return make_enterable(inner.get());
}

class TreeRemoval {
public:
    explicit TreeRemoval(int top, dev_t device) : top_(top), device_(device) {}

    // Empties the folder. Folders that lie too deep are moved into the top one, which is then worked through again.
    Status empty_top() {
        do {
            moved_ = false;
            if (Status emptied = empty(top_, 0); !emptied) return emptied;
        } while (moved_);
        return {};
    }

private:
    Status empty(int folder, int depth) {
        // A descriptor of its own for readdir(3), which closes it.
        const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (own < 0) return system_failure("open a folder");
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(own), &::closedir);
        if (!entries) return system_failure("read a folder");
        for (errno = 0; const dirent* entry = ::readdir(entries.get()); errno = 0) {
            const std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            if (Status removed = remove(folder, name, depth); !removed) return removed;
        }
        return errno == 0 ? Status() : system_failure("read a folder");
    }

    Status remove(int folder, const std::string& name, int depth) {
        if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return {}; // others tidy as well
        if (errno != EISDIR && errno != EPERM) return system_failure("remove " + name);
        if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0) return {};
        if (errno != ENOTEMPTY && errno != EACCES && errno != EEXIST) return system_failure("remove folder " + name);
        struct stat st {};
        if (::fstatat(folder, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return system_failure("look at " + name);
        if (st.st_dev != device_) return failure("remove " + name, "something is mounted there", "unmount it first");
        if (Status entered = open_up(folder, name); !entered) return entered;
        if (depth >= kMaxDepth) return move_up(folder, name);
        const UniqueFd inner(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!inner) return system_failure("open folder " + name);
        if (Status emptied = empty(inner.get(), depth + 1); !emptied) return emptied;
        if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0) return system_failure("remove folder " + name);
        return {};
    }

    Status move_up(int folder, const std::string& name) {
        const std::string above = fmt::format(".deep-{}-{}", ::getpid(), ++count_);
        if (::renameat(folder, name.c_str(), top_, above.c_str()) != 0) return system_failure("move folder " + name);
        moved_ = true;
        return {};
    }

    int top_;
    dev_t device_;
    bool moved_ = false;
    unsigned count_ = 0;
};

} // namespace

Status make_session_folders(const Paths& paths, const std::string& id) {
    for (const std::string& parent : {paths.state, paths.runtime})
        if (Status made = make_parent(parent); !made) return made;
    for (const std::string& folder : {paths.state, paths.sessions(), paths.runtime})
        if (Status made = make_private(folder, false); !made) return made;
    if (Status made = make_private(paths.session(id), true); !made) return made;
    if (Status made = make_private(paths.session(id) + "/" + kHomeFolder, true); !made) return made;
    return make_private(paths.session_runtime(id), true);
}

Status make_kept_home(const Paths& paths, const std::string& name) {
    for (const std::string& folder : {paths.homes(), paths.kept_home(name)})
        if (Status made = make_private(folder, false); !made) return made;
    return {};
}

Status remove_tree(const std::string& path) {
    if (Status entered = open_up(AT_FDCWD, path); !entered) return entered;
    const UniqueFd top(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!top) return errno == ENOENT ? Status() : system_failure("open " + path);
    struct stat st {};
    if (::fstat(top.get(), &st) != 0) return system_failure("look at " + path);
    if (Status emptied = TreeRemoval(top.get(), st.st_dev).empty_top(); !emptied) {
        Error error = emptied.error();
        error.what = path + ": " + error.what;
        return tl::unexpected(error);
    }
    if (::rmdir(path.c_str()) != 0 && errno != ENOENT) return system_failure("remove folder " + path);
    return {};
}

TreeSize measure_tree(const std::string& path, std::uint64_t most) {
    TreeSize size;
    std::error_code error;
    using Walk = std::filesystem::recursive_directory_iterator;
    std::uint64_t seen = 0;
    for (Walk entry(path, std::filesystem::directory_options::skip_permission_denied, error), end; !error && entry != end;
         entry.increment(error)) {
        if (++seen > most) {
            size.whole = false;
            break;
        }
        struct stat st {};
        if (::lstat(entry->path().c_str(), &st) != 0) continue;
        size.bytes += static_cast<std::uint64_t>(st.st_blocks) * 512;
        size.files += S_ISDIR(st.st_mode) ? 0 : 1;
        if (S_ISDIR(st.st_mode) && (st.st_mode & 0700) != 0700) size.whole = false; // not entered: what is in it is not known
    }
    if (error && error != std::errc::no_such_file_or_directory) size.whole = false;
    return size;
}

Status remove_session_folders(const Paths& paths, const std::string& id) {
    if (!is_session_id(id)) return failure("remove session " + id, "not a session id");
    if (Status removed = remove_tree(paths.session_runtime(id)); !removed) return removed;
    return remove_tree(paths.session(id));
}

} // namespace belljar
