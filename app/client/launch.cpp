#include "app/client/launch.h"

#include "core/system/descriptor_passing.h"
#include "core/system/programs.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

namespace belljar {
namespace {

// posix_spawn(3) with the attributes and file actions of one child, freed by scope.
class Spawn {
public:
    Spawn() {
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawn_file_actions_init(&actions_);
    }
    ~Spawn() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    Spawn(const Spawn&) = delete;
    Spawn& operator=(const Spawn&) = delete;

    int run(pid_t& child, const std::string& path, char* const* argv, int connection) {
        static constexpr int kConnection = 3;
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        // A session of its own: no terminal of ours to push bytes into, no signal of our process group.
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
        ::posix_spawn_file_actions_adddup2(&actions_, connection, kConnection);
        for (int fd = 0; fd < kConnection; ++fd)
            ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, kConnection + 1);
        char* environment[] = {nullptr};
        return ::posix_spawn(&child, path.c_str(), &actions_, &attributes_, argv, environment);
    }

private:
    posix_spawnattr_t attributes_;
    posix_spawn_file_actions_t actions_;
};

std::string text_member(const nlohmann::json& object, const char* name) {
    const auto member = object.find(name);
    return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

} // namespace

Result<Helper> start_helper() {
    auto pair = make_socketpair(SOCK_STREAM);
    if (!pair) return tl::unexpected(pair.error());
    const std::string path = program_path("belljar-helper");
    std::string name = "belljar-helper", mode = "--rootless";
    char* argv[] = {name.data(), mode.data(), nullptr};
    pid_t child = -1;
    if (const int error = Spawn().run(child, path, argv, pair->second.get()); error != 0) {
        auto failed = system_failure("start " + path, error);
        failed.value().next = "`belljar doctor` checks the installation";
        return failed;
    }
    return Helper{varlink::Client(std::move(pair->first)), child};
}

Status send_start(Helper& helper, const SessionSpec& spec, std::vector<UniqueFd> descriptors) {
    std::vector<int> numbers;
    for (const UniqueFd& fd : descriptors)
        numbers.push_back(fd.get());
    return helper.connection.send("org.belljar.Helper.Start", {{"spec", nlohmann::json::parse(to_json(spec))}},
                                  numbers);
}

Error error_of(const varlink::Reply& reply, const std::string& doing) {
    const std::string stage = text_member(reply.parameters, "stage");
    const std::string reason = text_member(reply.parameters, "reason");
    Error error;
    error.what = stage.empty() ? doing : fmt::format("{} ({})", doing, stage);
    error.why = reason.empty()
                    ? reply.error + " " + reply.parameters.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
                    : reason;
    error.next = text_member(reply.parameters, "next");
    return error;
}

Status await_started(Helper& helper) {
    for (;;) {
        pollfd readable{helper.connection.fd(), POLLIN, 0};
        if (::poll(&readable, 1, -1) < 0 && errno != EINTR) return system_failure("poll");
        const auto answer = started(helper);
        if (!answer) return tl::unexpected(answer.error());
        if (*answer) return {};
    }
}

Result<bool> started(Helper& helper) {
    const auto reply = helper.connection.receive_some();
    if (!reply)
        return failure("start the session", "belljar-helper ended without an answer",
                       "`belljar doctor` checks this machine");
    if (!*reply) return false;
    if (!(*reply)->error.empty()) return tl::unexpected(error_of(**reply, "start the session"));
    return true;
}

} // namespace belljar
