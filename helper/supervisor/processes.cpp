#include "helper/supervisor/processes.h"

#include "core/session/spec.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <string_view>
#include <sys/random.h>
#include <sys/syscall.h>

namespace belljar {
namespace {

constexpr std::size_t kMaxEntries = 192;  // three descriptors each
constexpr unsigned kPidfdThread = O_EXCL; // PIDFD_THREAD, Linux 6.9

UniqueFd open_process(pid_t tid) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d", tid);
    return UniqueFd(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// The first two numbers of the line "NAME:\t1\t2…", one for each pid namespace from ours inwards: the process as we know
// it and as the session does. (Further ones are of namespaces that were made inside; where there is no second, the first.)
std::pair<int, int> first_two(std::string_view status, std::string_view name) {
    const std::size_t at = status.find(name);
    if (at == std::string_view::npos) return {0, 0};
    std::string_view line = status.substr(at + name.size(), status.find('\n', at + 1) - at - name.size());
    int numbers[2] = {};
    for (int& number : numbers) {
        const std::size_t digit = line.find_first_of("0123456789");
        if (digit == std::string_view::npos) break;
        line.remove_prefix(digit);
        const auto end = std::from_chars(line.data(), line.data() + line.size(), number).ptr;
        line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    }
    return {numbers[0], numbers[1] != 0 ? numbers[1] : numbers[0]};
}

std::vector<std::string> split_arguments(std::string_view bytes) {
    std::vector<std::string> arguments;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\0');
        arguments.push_back(bytes_to_text(bytes.substr(0, end)));
        if (end == std::string_view::npos) break;
        bytes.remove_prefix(end + 1);
    }
    return arguments;
}

} // namespace

Processes::Processes() : salt_(16, '\0') {
    if (::getrandom(salt_.data(), salt_.size(), 0) != static_cast<ssize_t>(salt_.size())) salt_.clear();
}

Processes::Entry* Processes::entry(pid_t tid) {
    if (const auto found = entries_.find(tid); found != entries_.end()) {
        found->second.used = ++clock_;
        return &found->second;
    }
    UniqueFd folder = open_process(tid);
    if (!folder) return nullptr;
    char status[4096];
    const UniqueFd file(::openat(folder.get(), "status", O_RDONLY | O_CLOEXEC));
    const ssize_t got = file ? ::read(file.get(), status, sizeof status) : -1;
    if (got <= 0) return nullptr;
    const auto [process, inner] = first_two({status, static_cast<std::size_t>(got)}, "\nNStgid:");
    if (process == 0) return nullptr;
    if (entries_.size() >= kMaxEntries)
        entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                        [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    Entry made;
    made.arguments = UniqueFd(::openat(folder.get(), "cmdline", O_RDONLY | O_CLOEXEC));
    made.folder = std::move(folder);
    made.process = process;
    made.known.identity.pid = inner;
    made.used = ++clock_;
    return &entries_.insert_or_assign(tid, std::move(made)).first->second;
}

bool Processes::refresh(Entry& entry) {
    char exe[4096], argv[kMaxArgumentBytes];
    ssize_t exe_length = ::readlinkat(entry.folder.get(), "exe", exe, sizeof exe);
    if (exe_length < 0 && errno == ESRCH) return false;
    if (exe_length < 0 && errno == ENAMETOOLONG) {
        constexpr std::string_view kTooLong = "(its path is longer than 4095 bytes)";
        exe_length = static_cast<ssize_t>(kTooLong.copy(exe, kTooLong.size()));
    }
    if (exe_length < 0) exe_length = 0; // its memory is gone already, or a rule of the kernel hides it: pid alone then
    const ssize_t read = entry.arguments ? ::pread(entry.arguments.get(), argv, sizeof argv, 0) : 0;
    const std::string_view exe_now(exe, static_cast<std::size_t>(exe_length));
    const std::string_view argv_now(argv, static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
    if (entry.read && entry.exe == exe_now && entry.argv == argv_now) return true;
    entry.read = true;
    entry.exe = exe_now;
    entry.argv = argv_now;
    entry.known.identity.exe = bytes_to_text(exe_now);
    entry.known.identity.argv = split_arguments(argv_now);
    std::string whole = salt_ + std::to_string(entry.process) + '\0' + entry.exe + '\0' + entry.argv;
    entry.known.mark = std::hash<std::string>()(whole);
    return true;
}

const Processes::Known* Processes::identify(pid_t tid) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        Entry* found = entry(tid);
        if (!found) return nullptr;
        if (refresh(*found)) return &found->known;
        entries_.erase(tid); // that thread is gone; the number may have a new bearer
    }
    return nullptr;
}

int Processes::pidfd(pid_t tid) {
    // identify() first drops an entry whose thread is gone.
    if (!identify(tid)) {
        errno = ESRCH;
        return -1;
    }
    Entry& found = entries_.at(tid);
    if (found.pidfd) return found.pidfd.get();
    if (thread_pidfds_) {
        found.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, tid, kPidfdThread)));
        if (!found.pidfd && errno == EINVAL) thread_pidfds_ = false;
    }
    if (!found.pidfd) found.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, found.process, 0)));
    return found.pidfd.get();
}

} // namespace belljar
