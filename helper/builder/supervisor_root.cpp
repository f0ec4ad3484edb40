#include "helper/builder/supervisor_root.h"

#include "helper/builder/mounts.h"
#include "helper/link/link.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar {

Status make_supervisor_root(const std::string& state_folder) {
    auto roots = enter_fresh_root("mode=0755,size=64k");
    if (!roots) return tl::unexpected(roots.error());
    const auto source = open_below(roots->old.get(), state_folder);
    if (!source) return tl::unexpected(source.error());
    auto target = make_target_folder(roots->fresh.get(), link::kStateInside);
    if (!target) return tl::unexpected(target.error());
    if (Status done = bind(source->get(), target->get(), BindFlags{.read_only = false, .no_execute = true}, "the state folder"); !done)
        return done;
    if (::mkdir("/proc", 0555) != 0) return system_failure("make /proc");
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) return system_failure("mount the supervisor's /proc");
    return leave_old_root(true);
}

} // namespace belljar
