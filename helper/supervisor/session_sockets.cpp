#include "helper/supervisor/session_sockets.h"

#include "core/system/files.h"
#include "helper/supervisor/caller_socket.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace belljar {
namespace {

constexpr std::size_t kMostSockets =
    1u << 16; // a session with more is not searched any further: it would hold up the loop
constexpr std::size_t kMostMountBytes = 4u << 20;

struct Request {
    nlmsghdr header;
    unix_diag_req body;
};

std::uint32_t kernel_device(dev_t device) {
    return static_cast<std::uint32_t>(major(device) << 20 | minor(device));
}

// What one answer says of a socket's file.
const unix_diag_vfs* file_of(const nlmsghdr* message) {
    const auto* body = static_cast<const unix_diag_msg*>(NLMSG_DATA(message));
    const std::size_t head = NLMSG_ALIGN(sizeof *body);
    if (message->nlmsg_len < NLMSG_HDRLEN + head) return nullptr;
    auto left = static_cast<int>(message->nlmsg_len - NLMSG_HDRLEN - head);
    for (auto* attribute = reinterpret_cast<rtattr*>(reinterpret_cast<char*>(const_cast<unix_diag_msg*>(body)) + head);
         RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
        if (attribute->rta_type == UNIX_DIAG_VFS && RTA_PAYLOAD(attribute) >= sizeof(unix_diag_vfs))
            return static_cast<const unix_diag_vfs*>(RTA_DATA(attribute));
    return nullptr;
}

std::optional<std::uint64_t> mount_of(int folder, const char* path, int flags) {
    struct statx facts {};
    if (::statx(folder, path, flags, STATX_MNT_ID, &facts) != 0 || (facts.stx_mask & STATX_MNT_ID) == 0)
        return std::nullopt;
    return facts.stx_mnt_id;
}

std::optional<std::uint64_t> mount_at(pid_t tid, const std::string& place) {
    return mount_of(AT_FDCWD, ("/proc/" + std::to_string(tid) + "/root" + place).c_str(), AT_SYMLINK_NOFOLLOW);
}

// The super block's device of a mount: stat's st_dev is another one on btrfs and some overlays.
std::optional<dev_t> super_block_device(std::uint64_t mount, pid_t tid) {
    const UniqueFd mounts(::open(("/proc/" + std::to_string(tid) + "/mountinfo").c_str(), O_RDONLY | O_CLOEXEC));
    const auto table = read_all(mounts.get(), "mountinfo", kMostMountBytes);
    if (!table) return std::nullopt;
    const std::string wanted = std::to_string(mount) + ' ';
    for (std::size_t line = 0; line < table->size();) {
        if (table->compare(line, wanted.size(), wanted) == 0) {
            unsigned long long id = 0, parent = 0;
            unsigned high = 0, low = 0;
            if (std::sscanf(table->c_str() + line, "%llu %llu %u:%u", &id, &parent, &high, &low) == 4)
                return makedev(high, low);
            return std::nullopt;
        }
        const std::size_t end = table->find('\n', line);
        if (end == std::string::npos) break;
        line = end + 1;
    }
    return std::nullopt;
}

} // namespace

SessionSockets::SessionSockets(UniqueFd diag) : diag_(std::move(diag)), network_(network_of(diag_.get())) {
    const timeval limit{1, 0}; // a dump answers at once
    ::setsockopt(diag_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

void SessionSockets::learn_private_mounts(pid_t tid, const std::string& home) {
    for (const std::string& place : {std::string("/"), std::string("/tmp"), std::string("/var/tmp"),
                                     std::string("/run"), std::string("/dev/shm"), home})
        if (const auto mount = mount_at(tid, place)) private_mounts_.insert(*mount);
}

void SessionSockets::learn_shared_home(pid_t tid, const std::string& home, UniqueFd lock) {
    home_lock_ = std::move(lock);
    shared_home_ = mount_at(tid, home);
    if (shared_home_) private_mounts_.erase(*shared_home_);
}

// A lock that would meet one of another session's (our own does not count: fcntl(2), open file description locks).
bool SessionSockets::home_is_shared_now() const {
    struct flock other {};
    other.l_type = F_WRLCK;
    other.l_whence = SEEK_SET;
    other.l_len = 1;
    return ::fcntl(home_lock_.get(), F_OFD_GETLK, &other) != 0 || other.l_type != F_UNLCK;
}

bool SessionSockets::bound(ino_t inode, dev_t device, bool& failed) {
    Request request{};
    request.header = {.nlmsg_len = sizeof request,
                      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                      .nlmsg_seq = ++sequence_};
    request.body = {.sdiag_family = AF_UNIX, .udiag_states = ~0U, .udiag_show = UDIAG_SHOW_VFS};
    const sockaddr_nl kernel{.nl_family = AF_NETLINK};
    failed = true;
    if (::sendto(diag_.get(), &request, sizeof request, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&kernel),
                 sizeof kernel) < 0)
        return false;
    alignas(nlmsghdr) std::array<char, 32768> buffer;
    bool found = false;
    for (std::size_t seen = 0;;) {
        const ssize_t got = ::recv(diag_.get(), buffer.data(), buffer.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        auto left = static_cast<unsigned>(got);
        for (auto* message = reinterpret_cast<const nlmsghdr*>(buffer.data()); NLMSG_OK(message, left);
             message = NLMSG_NEXT(message, left)) {
            if (message->nlmsg_seq != sequence_) continue; // left over from a dump that was given up
            if (message->nlmsg_type == NLMSG_DONE) {
                failed = false;
                return found;
            }
            if (message->nlmsg_type == NLMSG_ERROR) return false;
            const unix_diag_vfs* file = file_of(message);
            if (file && file->udiag_vfs_ino == static_cast<std::uint32_t>(inode) &&
                file->udiag_vfs_dev == kernel_device(device))
                found = true;
            if (++seen > kMostSockets) return false;
        }
    }
}

SessionSockets::Owner SessionSockets::owner(int file, pid_t tid) {
    struct stat facts {};
    if (::fstat(file, &facts) != 0) return Owner::Unknown;
    bool failed = false;
    if (bound(facts.st_ino, facts.st_dev, failed)) return Owner::Session;
    if (failed) return Owner::Unknown;
    const auto mount = mount_of(file, "", AT_EMPTY_PATH);
    if (!mount) return Owner::Unknown;
    if (private_mounts_.contains(*mount) || (mount == shared_home_ && !home_is_shared_now())) return Owner::Stale;
    const auto device = super_block_device(*mount, tid);
    if (device && *device != facts.st_dev && bound(facts.st_ino, *device, failed) && !failed) return Owner::Session;
    return Owner::Unknown;
}

} // namespace belljar
