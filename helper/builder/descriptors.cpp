#include "helper/builder/descriptors.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace belljar {

Result<int> move_high(int fd) {
    const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, 64);
    if (high < 0) return system_failure("duplicate a descriptor");
    return high;
}

Status place_descriptors(std::span<const PlacedFd> placed) {
    std::vector<PlacedFd> high; // first all out of the way, so that no target overwrites a source
    for (const PlacedFd& each : placed) {
        auto moved = move_high(each.fd);
        if (!moved) return tl::unexpected(moved.error());
        high.push_back({*moved, each.target});
    }
    if (::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) != 0) return system_failure("mark descriptors close-on-exec");
    for (const PlacedFd& each : high)
        if (::dup2(each.fd, each.target) < 0) return system_failure("place a descriptor");
    return {};
}

} // namespace belljar
