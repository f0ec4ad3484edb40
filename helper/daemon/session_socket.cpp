#include "helper/daemon/session_socket.h"

#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace belljar {

Result<UniqueFd> open_own_folder(const std::string& path) {
    UniqueFd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return system_failure("open folder " + path);
    struct stat st {};
    if (::fstat(folder.get(), &st) != 0) return system_failure("stat " + path);
    if (st.st_uid != ::geteuid()) return failure("folder " + path, "belongs to another user");
    if ((st.st_mode & 077) != 0) return failure("folder " + path, "others may enter it", "chmod 700 " + path);
    return folder;
}

Result<UniqueFd> listen_in(int folder, const std::string& name) {
    UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!listener) return system_failure("make the session's socket");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = fmt::format("/proc/self/fd/{}/{}", folder, name);
    if (path.size() >= sizeof address.sun_path) return failure("make the session's socket", "its name is too long");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return system_failure("bind " + name);
    if (::listen(listener.get(), 64) != 0) return system_failure("listen on " + name);
    return listener;
}

} // namespace belljar
