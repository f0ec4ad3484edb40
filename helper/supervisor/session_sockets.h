// Which Unix sockets the session itself has bound: asked from the kernel's socket table of the session's own network
// namespace, where a socket of the host never stands, even if its file lies in a folder that the session sees. Rests on
// sock_diag(7): UNIX_DIAG_VFS tells a bound socket's inode (its low 32 bits) and device.
#pragma once

#include "core/system/unique_fd.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>

namespace belljar {

class SessionSockets {
public:
    // `diag`: a NETLINK_SOCK_DIAG socket made in the session's network namespace.
    explicit SessionSockets(UniqueFd diag);

    enum class Owner { Session, Stale, Unknown };
    // The session's network namespace (network_of).
    std::optional<std::uint64_t> network() const { return network_; }
    // Whose socket the file behind the O_PATH descriptor is. Stale: nobody's, on a mount that only the session has, so
    // that the kernel's own ECONNREFUSED is the right answer. `tid`: any process of the session, for its mount table.
    Owner owner(int file, pid_t tid);
    // The mounts that only the session has (its root, /tmp, /dev/shm, its home, …): taken from a process of the session
    // before its command runs. No socket of the host lies there.
    void learn_private_mounts(pid_t tid, const std::string& home);
    // The same for a kept home, which other sessions may have at the same time: their sockets lie there too. It counts as the
    // session's alone while nobody else holds `lock` (helper/daemon/kept_home.h).
    void learn_shared_home(pid_t tid, const std::string& home, UniqueFd lock);
    void let_go_of_home() { home_lock_.reset(); } // when nothing lives inside any more

private:
    // Whether a socket bound in the session has this inode on this device. `failed`: the kernel would not say.
    bool bound(ino_t inode, dev_t device, bool& failed);

    bool home_is_shared_now() const;

    UniqueFd diag_, home_lock_;
    std::optional<std::uint64_t> network_, shared_home_;
    std::set<std::uint64_t> private_mounts_;
    unsigned sequence_ = 0;
};

} // namespace belljar
