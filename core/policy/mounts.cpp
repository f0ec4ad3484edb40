#include "core/policy/mounts.h"

#include "core/policy/proxy.h"
#include "core/policy/values.h"
#include "core/system/files.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>

namespace belljar {
namespace {

bool is_absent(const Error& error) {
    return error.errno_value == ENOENT || error.errno_value == ENOTDIR;
}

class Collector {
public:
    Collector(const Policy& policy, const SessionRequest& request) : policy_(policy), request_(request) {}

    Result<VisiblePaths> run() {
        // Their parents hold the folders of all sessions, and no session sees another.
        for (const std::string& own : {request_.state_folder, request_.runtime_folder}) {
            if (own.empty()) continue;
            const std::string sessions = own.substr(0, own.rfind('/'));
            own_folders_.push_back(sessions.empty() || lies_in(request_.account.home, sessions) ? own : sessions);
        }
        if (!request_.homes_folder.empty()) own_folders_.push_back(request_.homes_folder);
        for (std::string& own : own_folders_) // what is listed is compared by its real path
            own = real_as_far_as_it_goes(own);
        // A home that does not exist is private and empty all the same.
        const auto home = real_path(request_.account.home);
        found_.home = home ? *home : request_.account.home;
        if (lies_in(found_.home, request_.workspace))
            return failure("workspace " + request_.workspace, "it holds the home folder " + found_.home);
        for (const std::string& folder : policy_.filesystem.system)
            if (Status clear = check_covers("filesystem.system", folder, folder); !clear)
                return tl::unexpected(clear.error());
        const auto add_all = [this](std::string_view key, const std::vector<std::string>& paths, MountMode mode,
                                    bool must_exist) -> Status {
            for (const std::string& path : paths)
                if (Status added = add(key, path, mode, must_exist); !added) return added;
            return {};
        };
        Status added = add_all("filesystem.read", policy_.filesystem.read, MountMode::Read, false);
        if (added) added = add_all("--read", request_.extra_read, MountMode::Read, true);
        if (added) added = add_all("filesystem.write", policy_.filesystem.write, MountMode::Write, true);
        if (added && request_.proxy) added = add_authorities();
        if (!added) return tl::unexpected(added.error());
        const auto by_path = [](const MountSpec& one, const MountSpec& other) { return one.path < other.path; };
        std::sort(found_.mounts.begin(), found_.mounts.end(), by_path);
        const auto visible_end = static_cast<std::ptrdiff_t>(found_.mounts.size());
        for (const std::string& path : policy_.filesystem.hide)
            if (Status hidden = hide(path); !hidden) return tl::unexpected(hidden.error());
        std::sort(found_.mounts.begin() + visible_end, found_.mounts.end(), by_path);
        return std::move(found_);
    }

private:
    std::string expand(const std::string& path) const {
        if (path == "~" || path.starts_with("~/")) return found_.home + path.substr(1);
        return path[0] == '/' ? path : request_.workspace + "/" + path;
    }

    // Neither the workspace nor the home may be covered by a mount, nor the session's record be in reach.
    Status check_covers(std::string_view key, const std::string& written, const std::string& path) const {
        const std::string what = fmt::format("{} '{}'", key, written);
        if (lies_in(found_.home, path)) return failure(what, "it holds the whole home", "name what is needed in it");
        if (lies_in(request_.workspace, path))
            return failure(what, "it holds the workspace", "name what is needed beside the workspace");
        for (const std::string& own : own_folders_)
            if (lies_in(own, path) || lies_in(path, own))
                return failure(what, "Belljar's own folder " + own + " would be in reach", "name something else");
        return {};
    }

    Status add(std::string_view key, const std::string& written, MountMode mode, bool must_exist) {
        const std::string what = fmt::format("{} '{}'", key, written);
        const auto refuse = [&](const Error& error) { return failure(what, error.why, error.next); };
        const auto form = check_path(written, PathForm::AbsoluteOrHome); // --read was not checked before
        if (!form) return refuse(form.error());
        auto path = real_path(expand(*form));
        if (!path) {
            if (!must_exist && is_absent(path.error())) return {};
            return failure(what, path.error().why, "name a file or folder that you can read, or leave it out");
        }
        if (Status fit = check_mountable(*path); !fit) return refuse(fit.error());
        if (Status clear = check_covers(key, written, *path); !clear) return clear;
        struct stat st {};
        if (::stat(path->c_str(), &st) != 0) return system_failure(what);
        if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
            return failure(what, "neither a file nor a folder: sockets and devices stay outside");
        for (const MountSpec& other : found_.mounts) {
            if (other.path != *path) continue;
            if (other.mode == mode) return {};
            return failure(what, "the same path as one of filesystem.read", "list it once");
        }
        found_.mounts.push_back({std::move(*path), mode});
        return {};
    }

    // Of the host's proxy, where a file of them is not visible already.
    Status add_authorities() {
        const auto shown = [this](const std::string& path) {
            const auto& system = policy_.filesystem.system;
            return lies_in(path, request_.workspace) ||
                   std::any_of(system.begin(), system.end(), [&](const auto& folder) { return lies_in(path, folder); }) ||
                   std::any_of(found_.mounts.begin(), found_.mounts.end(),
                               [&](const MountSpec& mount) { return lies_in(path, mount.path); });
        };
        for (const AuthorityVariable& variable : authority_variables(request_.environment))
            if (const auto path = real_path(variable.path); path && !shown(*path))
                if (Status added = add(variable.name, *path, MountMode::Read, false); !added) return added;
        return {};
    }

    Status hide(const std::string& written) {
        const std::string what = fmt::format("filesystem.hide '{}'", written);
        auto path = real_path(expand(written));
        // What is not there has nothing to hide; what cannot be looked at must not be taken for absent.
        if (!path) return is_absent(path.error()) ? Status() : system_failure(what, path.error().errno_value);
        if (lies_in(request_.workspace, *path)) return failure(what, "it would hide the workspace itself");
        const auto shows = [&](const std::string& folder) { return lies_in(*path, folder) || lies_in(folder, *path); };
        const bool seen = shows(request_.workspace) ||
                          std::any_of(policy_.filesystem.system.begin(), policy_.filesystem.system.end(), shows) ||
                          std::any_of(found_.mounts.begin(), found_.mounts.end(),
                                      [&](const MountSpec& mount) { return shows(mount.path); });
        if (seen && !already_hidden(*path)) found_.mounts.push_back({std::move(*path), MountMode::Hide});
        return {};
    }

    bool already_hidden(const std::string& path) const {
        return std::find(found_.mounts.begin(), found_.mounts.end(), MountSpec{path, MountMode::Hide}) !=
               found_.mounts.end();
    }

    const Policy& policy_;
    const SessionRequest& request_;
    std::vector<std::string> own_folders_;
    VisiblePaths found_;
};

} // namespace

Result<VisiblePaths> visible_paths(const Policy& policy, const SessionRequest& request) {
    return Collector(policy, request).run();
}

} // namespace belljar
