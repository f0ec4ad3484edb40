#include "helper/supervisor/datagram_pairs.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr std::size_t kMostAsked = 64;

// The kernel reads these arguments as 32 bits.
int type_of(const NotifiedCall& call) {
    return static_cast<int>(call.args[1]);
}

} // namespace

bool DatagramPairs::is_one(const NotifiedCall& call) {
    return call.number == SYS_socketpair && static_cast<int>(call.args[0]) == AF_UNIX &&
           (type_of(call) & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_DGRAM;
}

void DatagramPairs::make(const NotifiedCall& call) {
    if (const int protocol = static_cast<int>(call.args[2]); protocol != 0 && protocol != AF_UNIX) {
        notifications_.answer(call.id, EPROTONOSUPPORT);
        return;
    }
    int error = write_numbers(call, -1, -1); // can it be written to? Before there is anything that could be left over
    if (error == 0 && (asked_.size() >= kMostAsked || !ask_init_(++next_))) error = EAGAIN;
    if (error != 0) {
        notifications_.answer(call.id, error);
        return;
    }
    asked_.emplace(next_, call);
}

bool DatagramPairs::made(std::uint32_t request, std::vector<UniqueFd> fds) {
    const auto found = asked_.find(request);
    if (found == asked_.end()) return false;
    const NotifiedCall call = found->second;
    asked_.erase(found);
    notifications_.answer(call.id, fds.size() == 2 ? place(call, fds) : ENFILE);
    return true;
}

// Into the caller's own memory. Its number may have a new bearer at any time, and that could be init: so the memory is held
// by a descriptor first, and then it is seen whether the caller, whose it must be, still waits.
int DatagramPairs::write_numbers(const NotifiedCall& call, int first, int second) {
    const int numbers[2] = {first, second};
    const UniqueFd memory(::open(("/proc/" + std::to_string(call.tid) + "/mem").c_str(), O_WRONLY | O_CLOEXEC));
    if (!memory) return EACCES;
    if (!notifications_.waits(call.id)) return ESRCH;
    const ssize_t written = ::pwrite(memory.get(), numbers, sizeof numbers, static_cast<off_t>(call.args[3]));
    return written == static_cast<ssize_t>(sizeof numbers) ? 0 : EFAULT;
}

int DatagramPairs::place(const NotifiedCall& call, const std::vector<UniqueFd>& fds) {
    int numbers[2] = {-1, -1};
    for (std::size_t i = 0; i < 2; ++i) {
        if ((type_of(call) & SOCK_NONBLOCK) != 0) ::fcntl(fds[i].get(), F_SETFL, O_RDWR | O_NONBLOCK);
        numbers[i] = notifications_.add_descriptor(call.id, fds[i].get(), (type_of(call) & SOCK_CLOEXEC) != 0);
        if (numbers[i] < 0) return EMFILE;
    }
    return write_numbers(call, numbers[0], numbers[1]);
}

} // namespace belljar
