// The session's processes as the supervisor's own /proc and the kernel's pidfds show them. Kept per thread, and believed only as
// long as two things hold: that very thread still lives (its pidfd, or /proc/TID kept open, says so, whoever has its number
// later), and the 16 random bytes that the kernel gives each program at its exec (AT_RANDOM, getauxval(3)) are still the same: an exec
// changes neither pid nor descriptors. A program could copy them to the next one to be taken for itself, which gains it nothing.
// Two cheap calls instead of reading executable and arguments again, which would double the cost of a denied call.
// Loop thread only. Rests on proc(5), process_vm_readv(2), pidfd_open(2), pid_namespaces(7).
#pragma once

#include "core/system/unique_fd.h"
#include "helper/supervisor/process_identity.h"

#include <array>
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
        UniqueFd folder, pidfd;
        bool of_thread = false;       // the pidfd is the thread's own (PIDFD_THREAD)
        pid_t process = 0;            // the tgid in the supervisor's pid namespace
        std::uint64_t random_at = 0;  // where the program has its random bytes; 0: not known, nothing is believed
        std::array<std::byte, 16> random{};
        Known known;
        std::uint64_t used = 0;
    };

    Entry* entry(pid_t tid);
    static bool unchanged(pid_t tid, const Entry& entry);
    void open_pidfd(pid_t tid, Entry& entry);
    bool refresh(pid_t tid, Entry& entry);

    std::unordered_map<pid_t, Entry> entries_;
    std::uint64_t clock_ = 0;
    std::string salt_;
    bool thread_pidfds_ = true;
};

} // namespace belljar
