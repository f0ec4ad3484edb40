// Builds one session: two nested jars, and what starts in them.
//
//   daemon ── clone ──► P, pid 1 of the supervisor's jar (user, pid, mount, ipc, uts)
//                        ├─ clone ──► C, pid 1 of the session (user, pid, mount, net, ipc, uts, cgroup, time)
//                        │             network, root, door sockets → Built over the link → no privilege → exec belljar-init
//                        └─ minimal root → no privilege → exec belljar-supervisor
//
// C's user namespace is a child of P's, so the supervisor (its owner's euid) may look at the session's processes with no
// capability at all, and when the supervisor, pid 1 of the outer pid namespace, dies, the kernel kills the whole session.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <string>
#include <sys/types.h>

namespace belljar {

// Descriptors a session starts with; all stay the caller's. -1 where there is none.
struct BuildDescriptors {
    int spec = -1;       // memfd with the spec's JSON, the supervisor's
    int spec_inside = -1; // init's: the same, or without what is not for the inside
    int resolver = -1;   // the supervisor's end of the resolver pair
    int listener = -1;   // session.sock, listening
    int owner = -1, terminal = -1;
    int standard_input = -1, standard_output = -1, standard_error = -1; // pipes
    int supervisor_program = -1; // executable file
    std::string init_program;    // its path: it is cloned as a mount, which works only for what was opened in the new namespace
    int filter = -1;             // the BPF program
    int home_lock = -1;          // of a kept home
};

// Returns when both programs run; the pid is the supervisor's, a child of the caller. An Error names the stage and has
// already ended whatever was there of the session.
Result<pid_t> build_session(const SessionSpec& spec, const BuildDescriptors& descriptors);

} // namespace belljar
