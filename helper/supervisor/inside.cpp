#include "helper/supervisor/inside.h"

#include "core/system/files.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace belljar {
namespace {

std::vector<pid_t> processes() {
    std::vector<pid_t> pids;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
    if (!folder) return pids;
    while (const dirent* entry = ::readdir(folder.get())) {
        pid_t pid = 0;
        const std::string_view name = entry->d_name;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr == name.data() + name.size() && pid > 0)
            pids.push_back(pid);
    }
    return pids;
}

// A number of /proc/PID/status: the first after the field's name, or the last (NSpid).
pid_t status_number(pid_t pid, std::string_view field, bool last) {
    const auto status = read_file("/proc/" + std::to_string(pid) + "/status");
    if (!status) return 0;
    const std::size_t at = status->find(field);
    if (at == std::string::npos) return 0;
    std::string line = status->substr(at + field.size(), status->find('\n', at + 1) - at - field.size());
    const std::size_t start = last ? line.find_last_of("\t ") + 1 : line.find_first_of("0123456789");
    pid_t value = 0;
    if (start < line.size()) std::from_chars(line.data() + start, line.data() + line.size(), value);
    return value;
}

} // namespace

Inside::Inside(boost::asio::io_context& loop, UniqueFd link, Handlers handlers)
    : link_(loop), handlers_(std::move(handlers)), alive_(std::make_shared<bool>(true)) {
    const int flags = ::fcntl(link.get(), F_GETFL);
    ::fcntl(link.get(), F_SETFL, flags | O_NONBLOCK);
    link_.assign(link.release());
    wait();
}

Inside::~Inside() {
    *alive_ = false;
}

Status Inside::send(link::Type type, std::uint32_t request, std::int32_t value, std::string_view text,
                    std::span<const int> fds) {
    if (!link_.is_open()) return failure("speak to init", "it has ended");
    return link::send(link_.native_handle(), type, request, value, text, fds);
}

void Inside::close() {
    boost::system::error_code ignored;
    link_.close(ignored);
}

void Inside::wait() {
    link_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [this, alive = alive_](const boost::system::error_code& error) {
                         if (!error && *alive) drain();
                     });
}

void Inside::drain() {
    const auto alive = alive_;
    for (int taken = 0; taken < 64; ++taken) {
        auto message = link::receive(link_.native_handle());
        if (!message && (message.error().errno_value == EAGAIN || message.error().errno_value == EINTR)) break;
        if (!message || !*message) {
            close();
            handlers_.closed(message ? std::string("init ended") : message.error().message());
            return;
        }
        handlers_.message(std::move(**message));
        if (!*alive || !link_.is_open()) return;
    }
    wait();
}

std::optional<pid_t> only_child() {
    std::optional<pid_t> found;
    for (const pid_t pid : processes()) {
        if (status_number(pid, "\nPPid:", false) != ::getpid()) continue;
        if (found) return std::nullopt;
        found = pid;
    }
    return found;
}

std::optional<pid_t> child_known_as(pid_t init, pid_t inner) {
    for (const pid_t pid : processes())
        if (status_number(pid, "\nPPid:", false) == init && status_number(pid, "\nNSpid:", true) == inner) return pid;
    return std::nullopt;
}

// A process that exits loses its memory (exit_mm) before its namespaces, and both before it is a zombie: /proc/PID/exe
// leads nowhere from the first of these on.
bool runs(pid_t pid) {
    return ::access(("/proc/" + std::to_string(pid) + "/exe").c_str(), F_OK) == 0 || errno != ENOENT;
}

std::size_t count_processes() {
    const std::size_t all = processes().size();
    return all > 0 ? all - 1 : 0;
}

} // namespace belljar
