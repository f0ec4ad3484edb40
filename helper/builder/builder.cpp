#include "helper/builder/builder.h"

#include "core/egress/host_pattern.h"
#include "core/system/descriptor_passing.h"
#include "core/system/files.h"
#include "helper/builder/descriptors.h"
#include "helper/builder/door_rules.h"
#include "helper/builder/door_sockets.h"
#include "helper/builder/mounts.h"
#include "helper/builder/namespaces.h"
#include "helper/builder/network.h"
#include "helper/builder/privileges.h"
#include "helper/builder/session_etc.h"
#include "helper/builder/session_root.h"
#include "helper/builder/supervisor_root.h"
#include "helper/link/link.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar {
namespace {

// The first failure inside travels to the daemon through this pipe as "what\nwhy\nnext\nerrno"; both ends are close-on-exec,
// so end-of-file without a word means that both programs run.
[[noreturn]] void report_and_end(int report, const char* stage, const Error& error) {
    std::string text = std::string(stage) + ": " + error.what + "\n" + error.why + "\n" + error.next + "\n" + std::to_string(error.errno_value);
    (void)write_all(report, text, "the report");
    ::_exit(125);
}

void require(const Status& status, int report, const char* stage) {
    if (!status) report_and_end(report, stage, status.error());
}

template <class T>
T require(Result<T> result, int report, const char* stage) {
    if (!result) report_and_end(report, stage, result.error());
    return std::move(*result);
}

std::vector<std::uint16_t> host_service_ports(const SessionSpec& spec) {
    std::vector<std::uint16_t> ports;
    for (const EgressRules& rules : spec.egress)
        for (const std::string& text : rules.allow)
            if (const auto pattern = HostPattern::parse(text, true); pattern && pattern->kind == HostPattern::Kind::HostService)
                if (std::find(ports.begin(), ports.end(), pattern->port) == ports.end()) ports.push_back(pattern->port);
    return ports;
}

// The program from a private read-only mount: /proc/1/exe inside leads to a file that cannot be opened for writing
// (CVE-2019-5736 is that kind of hole).
Result<UniqueFd> read_only_program(const std::string& path) {
    const UniqueFd program(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!program) return system_failure("open " + path);
    const auto tree = clone_tree(program.get(), BindFlags{}, path);
    if (!tree) return tl::unexpected(tree.error());
    auto high = move_high(tree->get());
    if (!high) return tl::unexpected(high.error());
    return UniqueFd(*high);
}

void execute(int program, const char* name, std::initializer_list<const char*> flags) {
    std::vector<const char*> argv{name};
    argv.insert(argv.end(), flags);
    argv.push_back(nullptr);
    const char* environment[] = {nullptr};
    ::syscall(SYS_execveat, program, "", argv.data(), environment, AT_EMPTY_PATH);
}

Status send_built(int link, const DoorSockets& door, const SessionRoot& root) {
    std::string roles;
    std::vector<int> fds;
    const auto add = [&](link::Role role, std::uint16_t port, int fd) {
        roles += static_cast<char>(role);
        roles += static_cast<char>(port >> 8);
        roles += static_cast<char>(port & 0xff);
        fds.push_back(fd);
    };
    for (const RoleSocket& socket : door.sockets) add(socket.role, socket.port, socket.fd.get());
    if (root.pty_master) add(link::Role::PtyMaster, 0, root.pty_master.get());
    if (fds.size() > kMaxPassedFds) return failure("pass the door's sockets", "more host services than fit", "name fewer host:PORT patterns");
    return link::send(link, link::Type::Built, 0, 0, roles, fds);
}

// C: inside all of the session's namespaces.
[[noreturn]] void build_inside(const SessionSpec& spec, const BuildDescriptors& given, int link, int report) {
    require(map_own_identity(spec.uid, spec.gid), report, "identity");
    if (::sethostname(kSessionHostName, std::string_view(kSessionHostName).size()) != 0)
        report_and_end(report, "host name", system_failure("sethostname").value());
    require(bring_up_network(), report, "network");
    const DoorSockets door = require(open_door_sockets(host_service_ports(spec), link::kDoorMark), report, "door");
    require(install_door_rules(door.port, link::kDoorMark), report, "door");
    const UniqueFd program = require(read_only_program(given.init_program), report, "init");
    const SessionRoot root = require(make_session_root(spec), report, "file system");
    require(send_built(link, door, root), report, "link");
    require(drop_all_privileges(), report, "privileges");
    std::vector<PlacedFd> placed{{given.spec_inside, link::init_fd::kSpec}, {link, link::init_fd::kLink}, {given.filter, link::init_fd::kFilter}};
    for (const PlacedFd& stream : {PlacedFd{given.standard_input, link::init_fd::kStandardInput},
                                   PlacedFd{given.standard_output, link::init_fd::kStandardOutput},
                                   PlacedFd{given.standard_error, link::init_fd::kStandardError}})
        if (stream.fd >= 0) placed.push_back(stream);
    require(place_descriptors(placed), report, "descriptors");
    execute(program.get(), "belljar-init", {});
    report_and_end(report, "init", system_failure("exec belljar-init").value());
}

// P: inside the supervisor's namespaces.
[[noreturn]] void build_supervisor(const SessionSpec& spec, const BuildDescriptors& given, int report) {
    require(map_own_identity(spec.uid, spec.gid), report, "supervisor identity");
    ::setsid();
    auto link = require(make_socketpair(SOCK_SEQPACKET), report, "link");
    const pid_t inside = require(fork_into(kSessionNamespaces), report, "namespaces");
    if (inside == 0) {
        link.first.reset();
        build_inside(spec, given, link.second.get(), report);
    }
    link.second.reset();
    require(make_supervisor_root(spec.state_folder), report, "supervisor root");
    require(drop_all_privileges(), report, "supervisor privileges");
    std::vector<PlacedFd> placed{{given.spec, link::supervisor_fd::kSpec},
                                 {link.first.get(), link::supervisor_fd::kLink},
                                 {given.resolver, link::supervisor_fd::kResolver},
                                 {given.listener, link::supervisor_fd::kListen}};
    if (given.owner >= 0) placed.push_back({given.owner, link::supervisor_fd::kOwner});
    if (given.terminal >= 0) placed.push_back({given.terminal, link::supervisor_fd::kTerminal});
    if (given.home_lock >= 0) placed.push_back({given.home_lock, link::supervisor_fd::kHomeLock});
    const int program = require(move_high(given.supervisor_program), report, "supervisor");
    require(place_descriptors(placed), report, "descriptors");
    if (given.owner >= 0 && given.terminal >= 0) execute(program, "belljar-supervisor", {"--owner", "--terminal"});
    else if (given.owner >= 0) execute(program, "belljar-supervisor", {"--owner"});
    else execute(program, "belljar-supervisor", {});
    report_and_end(report, "supervisor", system_failure("exec belljar-supervisor").value());
}

Error read_report(const std::string& text) {
    Error error;
    std::size_t start = 0;
    std::string errno_text;
    for (std::string* field : {&error.what, &error.why, &error.next, &errno_text}) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        *field = text.substr(std::min(start, text.size()), end - std::min(start, text.size()));
        start = end + 1;
    }
    error.errno_value = errno_text.empty() ? 0 : std::atoi(errno_text.c_str());
    return error;
}

} // namespace

Result<pid_t> build_session(const SessionSpec& spec, const BuildDescriptors& descriptors) {
    auto report = make_pipe();
    if (!report) return tl::unexpected(report.error());
    auto high = move_high(report->second.get()); // survives place_descriptors
    if (!high) return tl::unexpected(high.error());
    report->second.reset(*high);
    const auto supervisor = fork_into(kSupervisorNamespaces);
    if (!supervisor) return supervisor;
    if (*supervisor == 0) {
        report->first.reset();
        build_supervisor(spec, descriptors, report->second.get());
    }
    report->second.reset();
    const auto text = read_all(report->first.get(), "the builder's report", 1u << 16);
    if (text && text->empty()) return *supervisor;
    ::kill(*supervisor, SIGKILL);
    ::waitpid(*supervisor, nullptr, 0);
    return tl::unexpected(text ? read_report(*text) : text.error());
}

} // namespace belljar
