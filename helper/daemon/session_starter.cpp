#include "helper/daemon/session_starter.h"

#include "core/session/identity.h"
#include "core/session/paths.h"
#include "core/system/descriptor_passing.h"
#include "core/system/files.h"
#include "core/system/programs.h"
#include "helper/builder/builder.h"
#include "helper/daemon/filter_program.h"
#include "helper/daemon/kept_home.h"
#include "helper/daemon/session_socket.h"
#include "helper/resolver/stub.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar {
namespace {

// What must hold before anything is made: the spec names the asker's own identity and folders that are the asker's alone.
Status check_authority(const SessionSpec& spec) {
    if (!is_session_id(spec.id)) return failure("session id", "not 12 hexadecimal digits");
    if (spec.uid != ::geteuid() || spec.gid != ::getegid()) return failure("identity", "the spec names another user than the one who asks");
    if (spec.uid == 0) return failure("identity", "a session never runs as uid 0");
    return {};
}

Result<UniqueFd> open_program(const char* name) {
    const std::string path = program_path(name);
    UniqueFd program(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!program) return system_failure("open " + path);
    return program;
}

// Sealed: who reads it twice reads the same.
Result<UniqueFd> spec_file(const SessionSpec& spec) {
    UniqueFd file(::memfd_create("belljar-spec", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) return system_failure("make a memfd");
    if (Status done = write_all(file.get(), to_json(spec), "the spec"); !done) return tl::unexpected(done.error());
    if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) return system_failure("seal the spec");
    if (::lseek(file.get(), 0, SEEK_SET) != 0) return system_failure("rewind the spec");
    return file;
}

// The stub lives outside every jar with the user's authority; it holds one socket and knows two paths.
Status start_resolver_stub(int socket, const std::string& runtime_folder) {
    const std::string program = program_path("belljar-resolver");
    const pid_t pid = ::fork();
    if (pid < 0) return system_failure("fork the resolver stub");
    if (pid == 0) stub_main(socket, program.c_str(), runtime_folder.c_str());
    return {};
}

// Takes the next descriptor that came with the request, if `wanted`.
class Passed {
public:
    explicit Passed(std::vector<UniqueFd> fds) : fds_(std::move(fds)) {}
    int next(bool wanted) {
        if (!wanted) return -1;
        if (taken_ == fds_.size()) {
            short_ = true;
            return -1;
        }
        return fds_[taken_++].get();
    }
    bool matched() const { return !short_ && taken_ == fds_.size(); }

private:
    std::vector<UniqueFd> fds_;
    std::size_t taken_ = 0;
    bool short_ = false;
};

} // namespace

Result<pid_t> start_session(const SessionSpec& spec, std::vector<UniqueFd> fds) {
    if (Status allowed = check_authority(spec); !allowed) return tl::unexpected(allowed.error());
    Passed passed(std::move(fds));
    BuildDescriptors given;
    given.standard_input = passed.next(spec.terminal.standard_input == StreamKind::Pipe);
    given.standard_output = passed.next(spec.terminal.standard_output == StreamKind::Pipe);
    given.standard_error = passed.next(spec.terminal.standard_error == StreamKind::Pipe);
    given.terminal = passed.next(spec.terminal.any() && !spec.detached);
    given.owner = passed.next(!spec.detached);
    if (!passed.matched()) return failure("start a session", "the descriptors that came with the request do not match the spec");

    const auto state = open_own_folder(spec.state_folder);
    if (!state) return tl::unexpected(state.error());
    const auto runtime = open_own_folder(spec.runtime_folder);
    if (!runtime) return tl::unexpected(runtime.error());
    if (::mkdirat(state->get(), kHomeFolder, 0700) != 0 && errno != EEXIST) return system_failure("make the private home");
    UniqueFd home_lock;
    if (!spec.kept_home.empty()) {
        auto held = hold_kept_home(spec.kept_home);
        if (!held) return tl::unexpected(held.error());
        home_lock = std::move(*held);
    }
    const auto supervisor = open_program("belljar-supervisor");
    if (!supervisor) return tl::unexpected(supervisor.error());
    const auto filter = open_filter_program(spec.syscalls);
    if (!filter) return tl::unexpected(filter.error());
    const auto file = spec_file(spec);
    if (!file) return tl::unexpected(file.error());
    const auto file_inside = spec.proxy ? spec_file(spec_for_inside(spec)) : Result<UniqueFd>(UniqueFd());
    if (!file_inside) return tl::unexpected(file_inside.error());
    const auto listener = listen_in(runtime->get(), kSessionSocket);
    if (!listener) return tl::unexpected(listener.error());
    auto resolver = make_socketpair(SOCK_SEQPACKET);
    if (!resolver) return tl::unexpected(resolver.error());
    if (Status started = start_resolver_stub(resolver->second.get(), spec.runtime_folder); !started) return tl::unexpected(started.error());
    resolver->second.reset();

    given.spec = file->get();
    given.spec_inside = *file_inside ? file_inside->get() : file->get();
    given.resolver = resolver->first.get();
    given.listener = listener->get();
    given.supervisor_program = supervisor->get();
    given.init_program = program_path("belljar-init");
    given.filter = filter->get();
    if (home_lock) given.home_lock = home_lock.get();
    return build_session(spec, given);
}

} // namespace belljar
