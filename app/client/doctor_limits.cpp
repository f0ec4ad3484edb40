// What this process and its children may open and write (getrlimit(2)): the shell's `ulimit`, a service's Limit… settings.
#include "app/client/doctor.h"

#include "app/client/wording.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace belljar {
namespace {

using State = Check::State;

// The builder keeps descriptors out of the way from 64 on, and each connection takes two.
constexpr rlim_t kLeastOpenFiles = 128, kFewOpenFiles = 1024;
// What an empty record and its index take, many times over; nothing of a longer session would fit.
constexpr rlim_t kLeastFileSize = 1u << 20;

// The hard limit: the soft one is raised to it.
Check open_files() {
    rlimit limit{};
    const char* name = "open files";
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {State::Ok, name, "no such limit here", {}};
    const rlim_t most = limit.rlim_max;
    if (most < kLeastOpenFiles)
        return {State::Missing, name,
                fmt::format("no more than {} files may be open at once, and a session needs {}", most, kLeastOpenFiles),
                "raise the hard limit (`ulimit -Hn`, LimitNOFILE= of a service)"};
    if (most < kFewOpenFiles)
        return {State::Note, name, fmt::format("no more than {} files may be open at once", most),
                "a session with many connections needs more: raise the hard limit (`ulimit -Hn`)"};
    return {State::Ok, name, most == RLIM_INFINITY ? std::string("no limit") : fmt::format("up to {}", most), {}};
}

Check file_size() {
    rlimit limit{};
    const char* name = "file size";
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return {State::Ok, name, "no limit", {}};
    const std::string found = fmt::format("no file may grow beyond {}", in_bytes(limit.rlim_cur));
    if (limit.rlim_cur < kLeastFileSize)
        return {State::Missing, name, found + ", and a record needs more", "raise the limit (`ulimit -f unlimited`)"};
    return {State::Note, name, found,
            "a session allows no connection any more when its record has reached that: raise the limit (`ulimit -f unlimited`)"};
}

} // namespace

std::vector<Check> check_limits() {
    return {open_files(), file_size()};
}

} // namespace belljar
