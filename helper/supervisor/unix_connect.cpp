#include "helper/supervisor/unix_connect.h"

#include "core/session/spec.h"
#include "helper/supervisor/session_path.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <sys/stat.h>
#include <sys/un.h>

namespace belljar {
namespace {

constexpr std::size_t kMostAsked = 64; // init connects with threads of its own; beyond them the caller tries again

} // namespace

void UnixConnect::deny(const NotifiedCall& call, const std::string& path, const std::string& reason) {
    NewEvent event{.kind = "egress", .fields = Json::object()};
    event.fields["verdict"] = "denied";
    event.fields["host"] = path;
    event.fields["proto"] = "unix";
    std::string key = "unix\n" + path + '\n' + reason + '\n';
    if (const auto* known = parts_.processes.identify(call.tid)) {
        put_process(event.fields, known->identity);
        key += std::to_string(known->mark);
    }
    event.fields["rule"] = "";
    event.fields["reason"] = reason;
    if (!parts_.recorder.repeat(key)) parts_.recorder.note_repeating(key, std::move(event));
    parts_.notifications.answer(call.id, EACCES);
}

void UnixConnect::connect(const NotifiedCall& call, CallerSocket caller) {
    constexpr std::size_t kHead = offsetof(sockaddr_un, sun_path);
    // unix_validate_addr
    if (caller.family() != AF_UNIX || caller.length <= kHead || caller.length > sizeof(sockaddr_un)) {
        const bool dissolves =
            caller.type == SOCK_DGRAM && caller.family() == AF_UNSPEC && caller.length >= sizeof(sa_family_t);
        parts_.notifications.answer(call.id, dissolves ? connect_on_behalf(caller) : EINVAL);
        return;
    }
    const std::string_view name(reinterpret_cast<const char*>(&caller.address) + kHead, caller.length - kHead);
    const bool abstract = name.front() == '\0';
    const std::string_view path = name.substr(0, name.find('\0'));
    if (caller.type != SOCK_STREAM && caller.type != SOCK_SEQPACKET)
        return deny(call, abstract ? '@' + bytes_to_text(name.substr(1)) : bytes_to_text(path),
                    "Unix datagram sockets with names are refused");
    if (!abstract) return connect_path(call, caller, path);
    const std::array<int, 1> fds{caller.fd.get()};
    ask(call, name, fds);
}

void UnixConnect::connect_path(const NotifiedCall& call, const CallerSocket& caller, std::string_view path) {
    // Links of /proc lead by what they mean to the process that walks them, and that would be us.
    if (path.starts_with("/proc/")) return deny(call, bytes_to_text(path), "a Unix socket by way of /proc");
    const auto file = open_in_session(call.tid, path);
    if (!file) {
        parts_.notifications.answer(call.id, file.error());
        return;
    }
    struct stat facts {};
    if (::fstat(file->get(), &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        parts_.notifications.answer(call.id, ECONNREFUSED);
        return;
    }
    const SessionSockets::Owner owner = sockets_.owner(file->get(), call.tid);
    // The number may have got a new bearer while its root and mounts were looked at.
    if (!parts_.notifications.waits(call.id)) return;
    switch (owner) {
    case SessionSockets::Owner::Unknown:
        return deny(call, bytes_to_text(path), "a Unix socket that no process of the session has made");
    case SessionSockets::Owner::Stale:
        parts_.notifications.answer(call.id, ECONNREFUSED);
        return;
    case SessionSockets::Owner::Session:
        break;
    }
    const std::array<int, 2> fds{caller.fd.get(), file->get()};
    ask(call, {}, fds);
}

void UnixConnect::ask(const NotifiedCall& call, std::string_view abstract_name, std::span<const int> fds) {
    if (asked_.size() >= kMostAsked || !ask_init_(++next_, abstract_name, fds)) {
        parts_.notifications.answer(call.id, EAGAIN);
        return;
    }
    asked_.emplace(next_, call.id);
}

bool UnixConnect::done(std::uint32_t request, int errno_value) {
    const auto found = asked_.find(request);
    if (found == asked_.end()) return false;
    parts_.notifications.answer(found->second, errno_value);
    asked_.erase(found);
    return true;
}

} // namespace belljar
