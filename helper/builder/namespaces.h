// New namespaces and the identity inside them (namespaces(7), user_namespaces(7), clone(2)).
#pragma once

#include "core/system/error.h"

#include <cstdint>
#include <sys/types.h>

namespace belljar {

// The namespaces of the supervisor's own jar: user, pid, mount, ipc, uts. It keeps the host's network, its way out.
extern const std::uint64_t kSupervisorNamespaces;
// The session's: user, pid, mount, net, ipc, uts, cgroup, time.
extern const std::uint64_t kSessionNamespaces;

// clone3(2) with these flags and SIGCHLD; returns twice like fork(2). A kernel without time namespaces gets the rest.
// An Error in words when user namespaces are switched off, limited or restricted.
Result<pid_t> fork_into(std::uint64_t namespaces);

// Called in the new user namespace: maps one uid and gid onto themselves, everything else stays unmapped. setgroups(2) is
// refused from here on, as the kernel demands of an unprivileged map.
Status map_own_identity(uid_t uid, gid_t gid);


// How many user and network namespaces may be made inside (namespaces(7), /proc/sys/user): none, or some where a sandbox of
// the session's own is wanted. The user's own number holds beside it; a session must not use that up. By one who has all
// capabilities in the session's user namespace, while its /proc/sys is writable.
Status limit_namespaces_inside(bool nested);

} // namespace belljar
