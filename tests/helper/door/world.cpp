#include "world.h"

#include "helper/builder/door_rules.h"
#include "helper/builder/namespaces.h"
#include "helper/builder/network.h"

#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <stdexcept>
#include <thread>

namespace belljar::test {
namespace {

void must(bool done, const char* what) {
    if (!done) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}
void must(const Status& done) {
    if (!done) throw std::runtime_error(done.error().message());
}
UniqueFd current_network() {
    return UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

void set_non_blocking(int fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Judge make_judge(const Rules& rules) {
    SessionSpec spec;
    spec.egress = {EgressRules{"test", "deny", rules.allow, rules.deny, rules.private_names}};
    return std::move(Judge::make(spec).value());
}

} // namespace

void enter_world() {
    const uid_t uid = ::getuid();
    const gid_t gid = ::getgid();
    must(::unshare(CLONE_NEWUSER) == 0, "unshare the user namespace");
    must(map_own_identity(uid, gid));
    must(::unshare(CLONE_NEWNET) == 0, "unshare the network namespace");
    must(bring_up_network());
}

SessionNetwork::SessionNetwork(const std::vector<std::uint16_t>& host_services) {
    const UniqueFd outside = current_network();
    must(::unshare(CLONE_NEWNET) == 0, "unshare the network namespace");
    must(bring_up_network());
    auto sockets = open_door_sockets(host_services, link::kDoorMark);
    if (!sockets) throw std::runtime_error(sockets.error().message());
    sockets_ = std::move(*sockets);
    must(install_door_rules(sockets_.port, link::kDoorMark));
    namespace_ = current_network();
    must(::setns(outside.get(), CLONE_NEWNET) == 0, "return outside");
}

UniqueFd SessionNetwork::socket(int family, int type) const {
    UniqueFd made;
    std::thread([&] {
        must(::setns(namespace_.get(), CLONE_NEWNET) == 0, "enter the session's network");
        made.reset(::socket(family, type | SOCK_CLOEXEC, 0));
    }).join();
    return made;
}

std::vector<Door::Socket> SessionNetwork::take(bool dns) {
    std::vector<Door::Socket> out;
    for (RoleSocket& each : sockets_.sockets) {
        const bool is_dns = each.role >= link::Role::DnsUdp4 && each.role <= link::Role::DnsTcp6;
        if (each.fd && is_dns == dns) out.push_back({each.role, each.port, std::move(each.fd)});
    }
    return out;
}

Bench::Bench(Rules rules)
    : network(rules.host_services), judge(make_judge(rules)),
      outside(Outside::make(loop, std::move(resolver.client), judge.policy())),
      door(Door::make(loop, network.take(false), judge, *outside, recorder)) {}

UniqueFd Bench::connect(const Endpoint& original) const {
    UniqueFd client = network.socket(original.ip.v6 ? AF_INET6 : AF_INET, SOCK_STREAM);
    sockaddr_storage address{};
    const socklen_t length = original.to(address);
    must(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), length) == 0, "connect inside");
    set_non_blocking(client.get());
    return client;
}

ExpectedConnection Bench::expected(int client, const Endpoint& original) {
    const Judgement judgement = judge.judge(original, Transport::Tcp);
    ExpectedConnection out;
    out.conn = recorder.next_connection();
    out.source = local_endpoint(client);
    out.original = original;
    out.destination = judgement.destination;
    out.raw = judgement.verdict.raw;
    out.process = ProcessIdentity{42, "/usr/bin/curl", {"curl", "https://example.net"}};
    return out;
}

Bench::Ends Bench::open(const Endpoint& original, int listener) {
    Ends ends;
    ends.client = connect(original);
    ExpectedConnection connection = expected(ends.client.get(), original);
    ends.conn = connection.conn;
    door->expect(std::move(connection));
    ends.server = accepted(listener);
    return ends;
}

UniqueFd Bench::accepted(int listener) {
    UniqueFd server;
    run_until([&] {
        server.reset(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        return static_cast<bool>(server);
    });
    return server;
}

void Bench::send(int fd, std::string_view bytes) {
    must(run_until(
             [&] {
                 const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
                 if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
                 return bytes.empty();
             },
             std::chrono::seconds(30)),
         "send");
}

std::string Bench::receive(int fd, std::size_t bytes) {
    std::string got;
    run_until([&] {
        char part[65536];
        const ssize_t length = ::recv(fd, part, std::min(sizeof part, bytes - got.size()), MSG_DONTWAIT);
        if (length > 0) got.append(part, static_cast<std::size_t>(length));
        return got.size() == bytes || length == 0;
    });
    return got;
}

std::string Bench::ending(int fd) {
    std::string end = "open";
    run_until(
        [&] {
            char part[4096];
            const ssize_t length = ::recv(fd, part, sizeof part, MSG_DONTWAIT);
            if (length == 0) end = "closed";
            if (length < 0 && errno == ECONNRESET) end = "reset";
            return end != "open";
        },
        std::chrono::seconds(3));
    return end;
}

UniqueFd listen_outside(std::uint16_t port, int family) {
    UniqueFd listener(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6) ::setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    Endpoint any;
    any.ip.v6 = family == AF_INET6;
    any.port = port;
    sockaddr_storage address{};
    const socklen_t length = any.to(address);
    must(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length) == 0, "bind outside");
    must(::listen(listener.get(), 4096) == 0, "listen outside");
    return listener;
}

Endpoint local_endpoint(int fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    must(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0, "getsockname");
    return Endpoint::from(reinterpret_cast<sockaddr*>(&address), length).value();
}

} // namespace belljar::test
