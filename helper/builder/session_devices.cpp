#include "helper/builder/session_devices.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

namespace belljar {

Status make_session_devices(const Roots& roots) {
    if (::mkdir("/dev", 0755) != 0) return system_failure("make /dev");
    for (const char* name : {"null", "zero", "full", "random", "urandom", "tty"}) {
        const std::string path = std::string("/dev/") + name;
        const auto source = open_below(roots.old.get(), path);
        if (!source) return tl::unexpected(source.error());
        auto target = make_target_file(roots.fresh.get(), path);
        if (!target) return tl::unexpected(target.error());
        // Read-only bars changes of the node itself; writing to the device passes.
        if (Status done = bind(source->get(), target->get(), BindFlags{.read_only = true, .devices = true, .no_execute = true}, path); !done)
            return done;
    }
    if (::mkdir("/dev/pts", 0755) != 0) return system_failure("make /dev/pts");
    if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620") != 0)
        return system_failure("mount /dev/pts");
    const std::pair<const char*, const char*> links[] = {{"pts/ptmx", "/dev/ptmx"},
                                                         {"/proc/self/fd", "/dev/fd"},
                                                         {"/proc/self/fd/0", "/dev/stdin"},
                                                         {"/proc/self/fd/1", "/dev/stdout"},
                                                         {"/proc/self/fd/2", "/dev/stderr"}};
    for (const auto& [target, link] : links)
        if (::symlink(target, link) != 0) return system_failure(std::string("make ") + link);
    auto shared = make_target_folder(roots.fresh.get(), "/dev/shm");
    if (!shared) return tl::unexpected(shared.error());
    if (::chmod("/dev/shm", 01777) != 0) return system_failure("set mode of /dev/shm");
    return bind(shared->get(), shared->get(), BindFlags{.read_only = false}, "/dev/shm");
}

Result<UniqueFd> open_session_terminal(const TerminalSpec& terminal) {
    UniqueFd master(::open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!master) return system_failure("open a terminal");
    int unlocked = 0;
    if (::ioctl(master.get(), TIOCSPTLCK, &unlocked) != 0) return system_failure("unlock the terminal");
    winsize size{};
    size.ws_row = static_cast<unsigned short>(terminal.rows);
    size.ws_col = static_cast<unsigned short>(terminal.columns);
    if (::ioctl(master.get(), TIOCSWINSZ, &size) != 0) return system_failure("size the terminal");
    return master;
}

} // namespace belljar
