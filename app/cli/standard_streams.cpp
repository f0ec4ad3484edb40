#include "app/cli/standard_streams.h"

#include "core/system/descriptor_passing.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace belljar::cli {
namespace {

constexpr int kPipeBytes = 256 * 1024;

bool is_dev_null(const struct stat& st) {
    return S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

} // namespace

StandardStreams look_at_standard_streams() {
    StandardStreams streams;
    struct stat of[3] = {};
    bool terminal[3] = {};
    for (int fd = 0; fd < 3; ++fd) {
        if (::fstat(fd, &of[fd]) != 0 || is_dev_null(of[fd])) continue;
        terminal[fd] = S_ISCHR(of[fd].st_mode) && ::isatty(fd) == 1;
        streams.kinds[static_cast<std::size_t>(fd)] = StreamKind::Pipe;
    }
    for (const int fd : {1, 2, 0})
        if (terminal[fd] && streams.terminal < 0) streams.terminal = fd;
    if (streams.terminal < 0) return streams;
    for (int fd = 0; fd < 3; ++fd)
        if (terminal[fd] && of[fd].st_rdev == of[streams.terminal].st_rdev)
            streams.kinds[static_cast<std::size_t>(fd)] = StreamKind::Terminal;
    if (streams.kinds[0] == StreamKind::Terminal) {
        streams.terminal_input = 0;
        streams.raw = streams.kinds[1] == StreamKind::Terminal;
    }
    return streams;
}

StandardStreams detached_streams() {
    StandardStreams streams;
    streams.kinds.fill(StreamKind::Terminal);
    return streams;
}

Result<PassedStreams> make_passed_streams(const StandardStreams& streams, bool detached) {
    PassedStreams passed;
    if (detached) return passed;
    for (std::size_t i = 0; i < 3; ++i) {
        if (streams.kinds[i] != StreamKind::Pipe) continue;
        auto pipe = make_pipe();
        if (!pipe) return tl::unexpected(pipe.error());
        ::fcntl(pipe->first.get(), F_SETPIPE_SZ, kPipeBytes); // a wish: refused above the user's share
        auto& [read_end, write_end] = *pipe;
        passed.ours[i] = std::move(i == 0 ? write_end : read_end);
        passed.theirs.push_back(std::move(i == 0 ? read_end : write_end));
    }
    if (streams.terminal >= 0) {
        auto pair = make_socketpair(SOCK_STREAM);
        if (!pair) return tl::unexpected(pair.error());
        passed.terminal = std::move(pair->first);
        passed.theirs.push_back(std::move(pair->second));
    }
    auto pair = make_socketpair(SOCK_STREAM);
    if (!pair) return tl::unexpected(pair.error());
    passed.owner = std::move(pair->first);
    passed.theirs.push_back(std::move(pair->second));
    return passed;
}

} // namespace belljar::cli
