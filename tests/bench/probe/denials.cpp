// Denied calls of several kinds, as fast as they are answered. What the caller waits for is what is measured: the
// supervisor has seen the call, read its process, and recorded it as the design says, when the answer comes.
#include "tests/bench/probe/probe.h"

#include <cerrno>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::bench {

int denials(Arguments arguments) {
    if (arguments.size() != 1) throw std::runtime_error("COUNT");
    const long count = std::stol(arguments[0]);
    static constexpr long kinds[] = {SYS_keyctl, SYS_bpf, SYS_mount, SYS_unshare, SYS_perf_event_open};
    constexpr long burst = 100;
    const auto start = Clock::now();
    for (long i = 0; i < count; ++i) {
        const bool is_sampled = i % burst == 0;
        const auto before = is_sampled ? Clock::now() : Clock::time_point();
        if (::syscall(kinds[i % std::size(kinds)], 0, 0, 0, 0, 0) != -1 || errno != EPERM)
            throw std::runtime_error("a call that should be denied was not: run this inside a session");
        if (is_sampled) print("denied", microseconds_since(before));
    }
    print("rate", static_cast<double>(count) * 1e6 / microseconds_since(start));
    print("count", static_cast<double>(count));
    return 0;
}

} // namespace belljar::bench
