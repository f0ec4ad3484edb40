#include "helper/daemon/filter_program.h"

#include "core/system/descriptor_passing.h"
#include "core/system/files.h"
#include "core/system/programs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace belljar {
namespace {

constexpr std::size_t kMaxOutput = 1u << 20;

struct Spawned {
    pid_t pid = -1;
    UniqueFd output, errors;
};

Result<Spawned> spawn_filter_program(const SyscallSpec& spec) {
    auto output = make_pipe();
    if (!output) return tl::unexpected(output.error());
    auto errors = make_pipe();
    if (!errors) return tl::unexpected(errors.error());
    const std::string path = program_path("belljar-filter");
    std::vector<std::string> words{"belljar-filter", "--profile", spec.profile};
    if (spec.nested) words.push_back("--nested");
    for (const std::string& call : spec.allow) words.insert(words.end(), {"--allow", call});
    for (const std::string& call : spec.deny) words.insert(words.end(), {"--deny", call});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    char* environment[] = {nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output->second.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors->second.get(), STDERR_FILENO);
    Spawned spawned;
    const int result = ::posix_spawn(&spawned.pid, path.c_str(), &actions, nullptr, argv.data(), environment);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) return system_failure("run " + path, result);
    spawned.output = std::move(output->first);
    spawned.errors = std::move(errors->first);
    return spawned;
}

Result<UniqueFd> make_filter_program(const SyscallSpec& spec) {
    auto spawned = spawn_filter_program(spec);
    if (!spawned) return tl::unexpected(spawned.error());
    const auto program = read_all(spawned->output.get(), "belljar-filter's output", kMaxOutput);
    const auto complaint = read_all(spawned->errors.get(), "belljar-filter's errors", kMaxOutput).value_or("");
    int status = 0;
    ::waitpid(spawned->pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return failure("make the system-call filter", complaint.empty() ? "belljar-filter failed" : complaint.substr(0, complaint.find('\n')));
    if (!program) return tl::unexpected(program.error());
    UniqueFd file(::memfd_create("belljar-filter", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) return system_failure("make a memfd");
    if (Status done = write_all(file.get(), *program, "the filter program"); !done) return tl::unexpected(done.error());
    if (::lseek(file.get(), 0, SEEK_SET) != 0) return system_failure("rewind the filter program");
    return file;
}

} // namespace

Result<UniqueFd> open_filter_program(const SyscallSpec& spec) {
    const bool built_in = !spec.nested || spec.profile == "default"; // of the nested ones that one
    if (!spec.allow.empty() || !spec.deny.empty() || !built_in) return make_filter_program(spec);
    if (spec.profile != "default" && spec.profile != "strict") return failure("system-call profile " + spec.profile, "not a built-in one");
    const std::string path = data_path("seccomp/" + spec.profile + (spec.nested ? "-nested.bpf" : ".bpf"));
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return system_failure("open " + path);
    return file;
}

} // namespace belljar
