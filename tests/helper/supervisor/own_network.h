// A network namespace for one test program: lo with TEST-NET-1 (RFC 5737) and the stand-in network on it, so that real
// connects arrive at real listeners and nothing leaves. Call before anything starts a thread.
#pragma once

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace belljar {

inline void require(bool done, const char* what) {
    if (done) return;
    std::perror(what);
    std::exit(1);
}

inline void write_map(const char* path, unsigned id) {
    const std::string line = std::to_string(id) + ' ' + std::to_string(id) + " 1";
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    require(fd >= 0 && ::write(fd, line.data(), line.size()) > 0, path);
    ::close(fd);
}

inline void give_address(int control, const char* label, const char* address, const char* mask) {
    ifreq request{};
    std::strncpy(request.ifr_name, label, IFNAMSIZ - 1);
    auto* in = reinterpret_cast<sockaddr_in*>(&request.ifr_addr);
    in->sin_family = AF_INET;
    ::inet_pton(AF_INET, address, &in->sin_addr);
    require(::ioctl(control, SIOCSIFADDR, &request) == 0, "SIOCSIFADDR");
    ::inet_pton(AF_INET, mask, &in->sin_addr);
    require(::ioctl(control, SIOCSIFNETMASK, &request) == 0, "SIOCSIFNETMASK");
}

inline void enter_own_network() {
    const unsigned uid = ::geteuid(), gid = ::getegid();
    require(::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0, "unshare");
    const int deny = ::open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
    require(deny >= 0 && ::write(deny, "deny", 4) == 4, "setgroups");
    ::close(deny);
    write_map("/proc/self/uid_map", uid);
    write_map("/proc/self/gid_map", gid);
    const int control = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq up{};
    std::strcpy(up.ifr_name, "lo");
    up.ifr_flags = IFF_UP;
    require(::ioctl(control, SIOCSIFFLAGS, &up) == 0, "SIOCSIFFLAGS");
    give_address(control, "lo:1", "192.0.2.1", "255.255.255.0");
    give_address(control, "lo:2", "198.18.0.1", "255.254.0.0");
    ::close(control);
}

} // namespace belljar
