#include "helper/builder/session_etc.h"

#include "core/system/files.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belljar {
namespace {

Status write_new(const std::string& path, const std::string& content) {
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd) return errno == EEXIST ? Status() : system_failure("make " + path);
    return write_all(fd.get(), content, path);
}

} // namespace

Status write_session_etc(const SessionSpec& spec) {
    if (::mkdir("/etc", 0755) != 0 && errno != EEXIST) return system_failure("make /etc");
    const std::string passwd = fmt::format("root:x:0:0:root:/root:/usr/sbin/nologin\n"
                                           "{}:x:{}:{}:{}:{}:{}\n"
                                           "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                                           spec.user, spec.uid, spec.gid, spec.user, spec.home, spec.shell);
    const std::string group = fmt::format("root:x:0:\n{}:x:{}:\nnogroup:x:65534:\n", spec.user, spec.gid);
    const std::string hosts = fmt::format("127.0.0.1 localhost {0}\n::1 localhost ip6-localhost ip6-loopback {0}\n", kSessionHostName);
    const std::string names = "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nprotocols: files\n"
                              "services: files\nethers: files\nrpc: files\n";
    const std::pair<const char*, std::string> files[] = {
        {"/etc/passwd", passwd},
        {"/etc/group", group},
        {"/etc/hosts", hosts},
        {"/etc/nsswitch.conf", names},
        {"/etc/resolv.conf", fmt::format("nameserver {}\noptions timeout:5 attempts:2\n", kSessionResolver)},
        {"/etc/hostname", std::string(kSessionHostName) + "\n"},
        {"/etc/shells", "/bin/sh\n/bin/bash\n/usr/bin/bash\n" + spec.shell + "\n"},
    };
    for (const auto& [path, content] : files)
        if (Status done = write_new(path, content); !done) return done;
    if (::symlink("/proc/self/mounts", "/etc/mtab") != 0 && errno != EEXIST) return system_failure("make /etc/mtab");
    return {};
}

} // namespace belljar
