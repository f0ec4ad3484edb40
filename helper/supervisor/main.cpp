// belljar-supervisor: watches one session and decides for it. The builder starts it confined: pid 1 of a pid namespace
// of its own, a minimal root (/state, /proc), no capability, and the session's namespaces below its own. Descriptors:
// helper/link/link.h. When it ends, however, the kernel ends the session.
#include "core/session/paths.h"
#include "core/system/files.h"
#include "core/system/limits.h"
#include "helper/supervisor/session.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/syscall.h>

using namespace belljar;

namespace {

namespace place = link::supervisor_fd;

struct Flags {
    bool owner = false, terminal = false;
};

Flags parse_flags(int argc, char** argv) {
    Flags flags;
    for (int i = 1; i < argc; ++i) {
        flags.owner = flags.owner || std::string_view(argv[i]) == "--owner";
        flags.terminal = flags.terminal || std::string_view(argv[i]) == "--terminal";
    }
    return flags;
}

// What a terminal, a vanished reader or a file at its limit sends is not for the supervisor: the call fails, and says why.
void ignore_signals() {
    for (const int number : {SIGPIPE, SIGXFSZ, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU})
        ::signal(number, SIG_IGN);
}

Result<SessionSpec> read_spec(int fd) {
    // Opened anew: init reads the same file, and a file position is shared.
    const UniqueFd own(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC));
    if (!own) return system_failure("open the spec");
    const auto json = read_all(own.get(), "the spec", kMaxSpecBytes);
    if (!json) return tl::unexpected(json.error());
    return parse_session_spec(*json);
}

Result<UniqueFd> take_lock(const std::string& folder) {
    UniqueFd lock(::open((folder + "/" + kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    // Waits: who lists sessions holds it shared for a moment, to see whether this one lives (core/record/lifecycle.h).
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return system_failure("lock the session's state folder");
    return lock;
}

int complain(const Error& error) {
    std::fprintf(stderr, "belljar-supervisor: %s\n", error.message().c_str());
    return 125;
}

} // namespace

int main(int argc, char** argv) {
    const Flags flags = parse_flags(argc, argv);
    ignore_signals();
    raise_open_files_limit();
    SessionInputs inputs;
    UniqueFd spec_file(place::kSpec);
    inputs.link = UniqueFd(place::kLink);
    inputs.resolver = UniqueFd(place::kResolver);
    inputs.listener = UniqueFd(place::kListen);
    if (flags.owner) inputs.owner = UniqueFd(place::kOwner);
    if (flags.terminal) inputs.terminal = UniqueFd(place::kTerminal);
    inputs.state_folder = link::kStateInside;
    auto lock = take_lock(inputs.state_folder);
    if (!lock) return complain(lock.error());
    inputs.lock = std::move(*lock);
    auto spec = read_spec(spec_file.get());
    if (!spec) return complain(spec.error());
    inputs.spec = std::move(*spec);
    if (!inputs.spec.kept_home.empty()) inputs.home_lock = UniqueFd(place::kHomeLock);
    spec_file.reset();

    boost::asio::io_context loop(1);
    Session session(loop, std::move(inputs));
    session.start();
    loop.run();
    session.finish();
    return 0;
}
