// What a path lies on, by /proc/self/mountinfo (proc(5)), and what that means for a session.
#include "app/client/doctor.h"

#include <fmt/format.h>
#include <linux/magic.h>

namespace belljar {
namespace {

using State = Check::State;

std::string_view take_word(std::string_view& line) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    return word;
}

// A space, a tab, a newline and a backslash are written as \ooo.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) { return static_cast<unsigned>(text[i + at] - '0'); };
        if (text[i] == '\\' && i + 3 < text.size() && digit(1) < 4 && digit(2) < 8 && digit(3) < 8) {
            out += static_cast<char>(digit(1) << 6 | digit(2) << 3 | digit(3));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

bool holds(std::string_view folder, std::string_view path) {
    return folder == "/" ||
           (path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/'));
}

} // namespace

bool Mounted::has(std::string_view option) const {
    for (std::string_view rest = options; !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find(','));
        if (one == option) return true;
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
    return false;
}

Mounted mount_of(std::string_view path, std::string_view mountinfo) {
    Mounted found;
    while (!mountinfo.empty()) {
        std::string_view line = mountinfo.substr(0, mountinfo.find('\n'));
        mountinfo.remove_prefix(std::min(line.size() + 1, mountinfo.size()));
        for (int i = 0; i < 4; ++i)
            take_word(line); // mount id, parent, device, root
        const std::string at = unescaped(take_word(line));
        const std::string_view options = take_word(line);
        while (!line.empty() && take_word(line) != "-") {
        }
        const std::string_view type = take_word(line);
        take_word(line); // source
        // The longest, and of two on one another the later, which covers the other.
        if (!at.empty() && holds(at, path) && at.size() >= found.at.size())
            found = {at, std::string(type), fmt::format("{},{}", options, line)};
    }
    return found;
}

Check proc_check(const std::string& mountinfo) {
    const Mounted proc = mount_of("/proc", mountinfo);
    if (proc.type != "proc")
        return {State::Missing, "/proc", "/proc is not mounted", "mount -t proc proc /proc"};
    for (const char* value : {"1", "2", "4", "noaccess", "invisible", "ptraceable"})
        if (proc.has(fmt::format("hidepid={}", value)))
            return {State::Ok, "/proc",
                    fmt::format("mounted with hidepid={}: a session has a /proc of its own, with its own processes",
                                value),
                    {}};
    return {State::Ok, "/proc", "shows all processes", {}};
}

Check root_check(const std::string& mountinfo) {
    const Mounted root = mount_of("/", mountinfo);
    if (root.type != "overlay") return {State::Ok, "root file system", root.type.empty() ? "unknown" : root.type, {}};
    return {State::Ok, "root file system", "an overlay, as in a container: sessions run on it", {}};
}

Check execution_check(const std::string& state, const std::string& home, const std::string& mountinfo) {
    if (mount_of(state, mountinfo).has("noexec"))
        return {State::Note, "noexec", state + " lies on a file system mounted noexec",
                "a session's home is kept there, so nothing that is installed in it can be executed: set "
                "BELLJAR_STATE_DIR to another place"};
    if (mount_of(home, mountinfo).has("noexec"))
        return {State::Note, "noexec", home + " lies on a file system mounted noexec",
                "no program of a workspace in it can be executed, inside as outside: keep workspaces elsewhere"};
    if (mount_of("/tmp", mountinfo).has("noexec"))
        return {State::Ok, "noexec", "/tmp is mounted noexec: a session has a /tmp of its own, without it", {}};
    return {State::Ok, "noexec", "neither the state folder nor the home", {}};
}

// SQLite's WAL needs shared memory between processes of one machine (sqlite.org/wal.html), and flock(2) must mean
// something.
std::string network_file_system(unsigned long type) {
    switch (type) {
    case NFS_SUPER_MAGIC:
        return "NFS";
    case SMB_SUPER_MAGIC:
        return "SMB";
    case 0xFF534D42:
        return "CIFS";
    case 0xFE534D42:
        return "SMB2";
    case V9FS_MAGIC:
        return "9p";
    case AFS_SUPER_MAGIC:
        return "AFS";
    case CODA_SUPER_MAGIC:
        return "Coda";
    case 0x00C36400:
        return "Ceph";
    case 0x65735546:
        return "FUSE";
    default:
        return {};
    }
}

} // namespace belljar
