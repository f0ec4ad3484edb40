// belljar-init: pid 1 of a session. Starts the command when the supervisor says go, reaps, passes signals on, connects Unix
// sockets on callers' behalf, and ends when the command ends: then the kernel kills whatever else lives in the session.
//
// It shares the session's user and namespaces, so it is not dumpable (nothing inside can trace it, read its memory or open its
// executable) and, being pid 1, takes no signal from inside.

#include "core/session/spec.h"
#include "core/system/files.h"
#include "helper/init/command.h"
#include "helper/init/landlock.h"
#include "helper/init/layers.h"
#include "helper/init/unix_connector.h"
#include "helper/link/link.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace belljar;

namespace {

[[noreturn]] void fail(const char* stage, const Error& error) {
    (void)link::send(link::init_fd::kLink, link::Type::Failed, 0, error.errno_value,
                     std::string(stage) + "\n" + error.what + ": " + error.why + "\n" + error.next);
    ::_exit(125);
}

SessionSpec read_spec() {
    // A descriptor of our own: the supervisor reads the same file, and a file position is shared.
    UniqueFd own(::open("/proc/self/fd/3", O_RDONLY | O_CLOEXEC));
    if (!own) fail("spec", system_failure("open the spec").value());
    const auto json = read_all(own.get(), "the spec", kMaxSpecBytes);
    if (!json) fail("spec", json.error());
    auto spec = parse_session_spec(*json);
    if (!spec) fail("spec", spec.error());
    ::close(link::init_fd::kSpec);
    return std::move(*spec);
}

bool is_required(const SessionSpec& spec, const char* layer) {
    return std::find(spec.require.begin(), spec.require.end(), layer) != spec.require.end();
}

void wait_for_go() {
    auto message = link::receive(link::init_fd::kLink);
    if (!message || !*message || (*message)->type != link::Type::Go) ::_exit(125); // the supervisor is gone
}

// pid 1 holds no end of the command's streams, or their readers would never see the end. Only what the builder placed: another
// number may be anything.
void close_what_the_command_has(const TerminalSpec& terminal) {
    if (terminal.standard_input == StreamKind::Pipe) ::close(link::init_fd::kStandardInput);
    if (terminal.standard_output == StreamKind::Pipe) ::close(link::init_fd::kStandardOutput);
    if (terminal.standard_error == StreamKind::Pipe) ::close(link::init_fd::kStandardError);
    ::close(link::init_fd::kFilter);
}

UniqueFd child_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    return UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Whether the program runs; says so, or says why not.
bool report_start(StartedCommand& command, const SessionSpec& spec) {
    ExecFailure failure;
    const auto bytes = read_all(command.failure.get(), "the command's report", sizeof failure);
    command.failure.reset();
    if (bytes && bytes->empty()) {
        (void)link::send(link::init_fd::kLink, link::Type::Started, 0, command.pid);
        return true;
    }
    if (bytes && bytes->size() == sizeof failure) std::copy(bytes->begin(), bytes->end(), reinterpret_cast<char*>(&failure));
    if (failure.ours || !bytes) fail("command", Error{"make the command's process ready", failure.what, {}, failure.errno_value});
    (void)link::send(link::init_fd::kLink, link::Type::ExecFailed, 0, failure.errno_value, spec.argv.front().substr(0, link::kMaxText));
    return false;
}

void tell_end(int status) {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    (void)link::send(link::init_fd::kLink, link::Type::Exited, static_cast<std::uint32_t>(usage.ru_maxrss), status);
}

// Reaps every zombie; true when the command itself was among them.
bool reap(pid_t command) {
    bool ended = false;
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == command) {
            tell_end(status);
            ended = true;
        }
    return ended;
}

// Two sockets of the session's own network namespace, for a caller that asked for a pair of datagram sockets.
void make_pair(std::uint32_t request) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        (void)link::send(link::init_fd::kLink, link::Type::PairMade, request, 0);
        return;
    }
    const UniqueFd first(pair[0]), second(pair[1]);
    (void)link::send(link::init_fd::kLink, link::Type::PairMade, request, 0, {}, pair);
}

// One message of the supervisor; false when it is gone.
bool serve(pid_t command, UnixConnector& connector) {
    auto message = link::receive(link::init_fd::kLink);
    if (!message || !*message) return false;
    switch ((*message)->type) {
    case link::Type::SignalCommand: ::kill(-command, (*message)->value); break;
    case link::Type::ConnectUnix: connector.connect(std::move(**message)); break;
    case link::Type::MakePair: make_pair((*message)->request); break;
    case link::Type::Built: case link::Type::Go: case link::Type::Listener: case link::Type::Started: case link::Type::ExecFailed:
    case link::Type::Exited: case link::Type::ConnectDone: case link::Type::Failed: case link::Type::Layers:
    case link::Type::PairMade: return false;
    }
    return true;
}

} // namespace

int main() {
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return 125;
    ::fcntl(link::init_fd::kLink, F_SETFD, FD_CLOEXEC);
    const SessionSpec spec = read_spec();
    // A domain that rules over files forbids mount(2) and pivot_root(2) to all within it (landlock(7)).
    const std::optional<int> landlock = spec.syscalls.nested ? std::nullopt : landlock_abi();
    if (spec.syscalls.nested && is_required(spec, "landlock"))
        fail("landlock", Error{"Landlock", "the policy requires it, and workspace.nested excludes it", "take one of them out", 0});
    if (!landlock && is_required(spec, "landlock"))
        fail("landlock", Error{"Landlock", "the kernel has none, and the policy requires it", "take it out of `require`, or boot with lsm=landlock,…", 0});
    if (Status told = link::send(link::init_fd::kLink, link::Type::Layers, 0, 0, describe_layers(spec, landlock)); !told) return 125;
    const UniqueFd signals = child_signals();
    wait_for_go();
    auto command = start_command(spec, link::init_fd::kLink, landlock);
    if (!command) fail("command", command.error());
    close_what_the_command_has(spec.terminal);
    if (!report_start(*command, spec)) return 0;
    UnixConnector connector(link::init_fd::kLink);
    for (;;) {
        pollfd watched[] = {{link::init_fd::kLink, POLLIN, 0}, {signals.get(), POLLIN, 0}};
        if (::poll(watched, 2, -1) < 0 && errno != EINTR) return 125;
        if (watched[1].revents != 0) {
            signalfd_siginfo drained;
            while (::read(signals.get(), &drained, sizeof drained) > 0) {}
            if (reap(command->pid)) return 0;
        }
        if (watched[0].revents != 0 && !serve(command->pid, connector)) return 0;
    }
}
