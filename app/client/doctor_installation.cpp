// Whether Belljar's own programs lie beside this one, can be run, and are of the same version.
#include "app/client/doctor.h"

#include "app/client/launch.h"
#include "core/system/programs.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar {
namespace {

using State = Check::State;

Check programs() {
    std::string missing;
    for (const char* name :
         {"belljar-helper", "belljar-filter", "belljar-init", "belljar-supervisor", "belljar-resolver"}) {
        const std::string path = program_path(name);
        if (::access(path.c_str(), X_OK) != 0)
            missing += fmt::format("{}{} ({})", missing.empty() ? "" : ", ", path, std::strerror(errno));
    }
    const std::string folder = installation_prefix() + "/libexec/belljar";
    struct statvfs fs {};
    if (::statvfs(folder.c_str(), &fs) == 0 && (fs.f_flag & ST_NOEXEC) != 0)
        return {State::Missing, "programs", folder + " lies on a file system mounted noexec",
                "install Belljar on another, or mount that one with exec"};
    if (!missing.empty())
        return {State::Missing, "programs", "Belljar is not installed whole: " + missing,
                "install it again: its programs find each other by their places"};
    return {State::Ok, "programs", folder, {}};
}

// Asks the helper itself (org.varlink.service.GetInfo).
Result<std::string> helper_version() {
    using namespace std::chrono_literals;
    auto helper = start_helper();
    if (!helper) return tl::unexpected(helper.error());
    (void)helper->connection.set_timeout(3s);
    auto answer = helper->connection.call("org.varlink.service.GetInfo");
    ::kill(helper->pid, SIGKILL); // ours ends with its connection; what answers in its place might not
    ::waitpid(helper->pid, nullptr, 0);
    if (!answer) return tl::unexpected(answer.error());
    return answer->value("version", std::string());
}

Check version() {
    const auto found = helper_version();
    const std::string own = BELLJAR_VERSION;
    if (found && *found == own) return {State::Ok, "helper", fmt::format("answers, version {}", own), {}};
    if (!found && found.error().errno_value == EAGAIN)
        return {State::Missing, "helper", "belljar-helper cannot be started: the limit of processes is reached",
                "end some, or raise the limit (`ulimit -u`)"};
    return {State::Missing, "helper",
            found ? fmt::format("belljar-helper is of version {}, and belljar of {}", *found, own)
                  : "belljar-helper does not answer: " + found.error().why,
            "install Belljar again, whole"};
}

} // namespace

std::vector<Check> check_installation() {
    const Check found = programs();
    if (found.state == State::Missing) return {found};
    return {found, version()};
}

} // namespace belljar
