// Which Unix sockets the session itself has bound: asked from the kernel's socket table of the session's own network namespace,
// where a socket of the host never stands, even if its file lies in a folder that the session sees. Rests on sock_diag(7):
// UNIX_DIAG_VFS tells a bound socket's inode (its low 32 bits) and device.
#pragma once

#include "core/system/unique_fd.h"

#include <set>
#include <sys/types.h>

namespace belljar {

class SessionSockets {
public:
    // `diag`: a NETLINK_SOCK_DIAG socket made in the session's network namespace.
    explicit SessionSockets(UniqueFd diag);

    enum class Owner { Session, Stale, Unknown };
    // Whose socket the file behind the O_PATH descriptor is. Stale: nobody's, on a file system that only the session has, so
    // that the kernel's own ECONNREFUSED is the right answer. `tid`: any process of the session, for its mount table.
    Owner owner(int file, pid_t tid);
    // The devices of the session's private file systems (its root, /tmp, /dev/shm): taken from a process of the session, before
    // its command runs.
    void learn_private_devices(pid_t tid);

private:
    // Whether a socket bound in the session has this inode on this device; nullopt when the kernel would not say.
    bool bound(ino_t inode, dev_t device, bool& failed);

    UniqueFd diag_;
    std::set<dev_t> private_devices_;
    unsigned sequence_ = 0;
};

} // namespace belljar
