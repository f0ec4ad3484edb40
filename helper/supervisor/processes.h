// The session's processes as the supervisor's own /proc and the kernel's pidfds show them. What is kept per thread are
// descriptors, not words: /proc/TID itself (it answers ESRCH once that thread is gone, so a reused number is never mistaken),
// /proc/TID/cmdline and a pidfd. Executable and arguments are read anew for each question, because an exec changes neither pid
// nor descriptors; that costs two system calls, and nothing is rebuilt while they say what they said before.
// Loop thread only. Rests on proc(5), pidfd_open(2), pid_namespaces(7).
#pragma once

#include "core/system/unique_fd.h"
#include "helper/supervisor/process_identity.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <unordered_map>

namespace belljar {

class Processes {
public:
    struct Known {
        ProcessIdentity identity; // pid: the process (not the thread) in the innermost pid namespace
        std::uint64_t mark = 0;   // the same for the same pid, executable and arguments; unguessable from inside
    };

    Processes();
    // Who the thread `tid` (as the supervisor's pid namespace numbers it) is now. nullptr: it is gone. Valid until the next call.
    const Known* identify(pid_t tid);
    // A descriptor for pidfd_getfd(2), of the thread itself where the kernel has PIDFD_THREAD (6.9), else of its process.
    // -1 with errno when there is none. Stays owned here, valid until the next call.
    int pidfd(pid_t tid);

private:
    struct Entry {
        UniqueFd folder, arguments, pidfd;
        std::string exe, argv; // as read
        pid_t process = 0;     // the tgid in the supervisor's pid namespace
        bool read = false;
        Known known;
        std::uint64_t used = 0;
    };

    Entry* entry(pid_t tid);
    bool refresh(Entry& entry);

    std::unordered_map<pid_t, Entry> entries_;
    std::uint64_t clock_ = 0;
    std::string salt_;
    bool thread_pidfds_ = true;
};

} // namespace belljar
