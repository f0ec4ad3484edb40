// Pipes through which splice(2) moves bytes between two sockets without copying them into this process. A pipe is held
// by a relay only while bytes are in it, so that a few serve thousands of idle connections; their number and size are
// bounded because all of a user's pipes share one quota (pipe(7): pipe-user-pages-soft).
#pragma once

#include "core/system/unique_fd.h"

#include <array>
#include <cstddef>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace belljar {

class SplicePipe {
public:
    static std::optional<SplicePipe> make(bool large);
    // From a non-blocking socket into the pipe, which must be empty. As read(2): bytes, 0 at end-of-file, -1 with
    // errno.
    ssize_t fill(int from);
    // From the pipe into a non-blocking socket. As write(2).
    ssize_t drain(int to);
    std::size_t held() const { return held_; }
    bool large() const { return large_; }

private:
    SplicePipe(UniqueFd read_end, UniqueFd write_end, bool large)
        : read_end_(std::move(read_end)), write_end_(std::move(write_end)), large_(large) {}
    UniqueFd read_end_, write_end_;
    std::size_t held_ = 0;
    bool large_;
};

// Of one thread.
class PipePool {
public:
    // nullopt: as many as may be are in use, or the system has none to give; the caller copies instead.
    std::optional<SplicePipe> take();
    void give_back(SplicePipe pipe); // one with bytes in it is closed

    // Where bytes pass through when no pipe is to be had.
    std::array<char, 64 * 1024>& scratch() { return scratch_; }

private:
    std::vector<SplicePipe> idle_;
    std::size_t count_ = 0, large_ = 0;
    std::array<char, 64 * 1024> scratch_;
};

} // namespace belljar
