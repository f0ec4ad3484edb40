// The seccomp listener in the event loop: takes each notified call, hands it on, and carries the answer back
// (seccomp_unotify(2)). No call is ever answered with "continue": the kernel would read the arguments' memory again.
// Closing the listener makes the kernel answer ENOSYS to every call that is or will be notified, so the end of this
// object, or of the supervisor, is closed, never open. Loop thread only.
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <linux/seccomp.h>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace belljar {

struct NotifiedCall {
    std::uint64_t id = 0;
    pid_t tid = 0; // the calling thread, in the supervisor's pid namespace
    int number = 0;
    std::uint64_t args[6] = {};
};

class Notifications {
public:
    using Handler = std::function<void(const NotifiedCall&)>;

    // An Error when `listener` is no seccomp listener.
    static Result<std::unique_ptr<Notifications>> make(boost::asio::io_context& loop, UniqueFd listener,
                                                       Handler handler);
    ~Notifications();

    // Each call is answered exactly once, now or later. 0 is success (value 0). False: the caller is gone.
    bool answer(std::uint64_t id, int errno_value);
    // Whether the caller still waits: what was read of its memory and descriptors before this says true is its own.
    bool waits(std::uint64_t id) const;
    // Puts a duplicate of `fd` into the caller (SECCOMP_IOCTL_NOTIF_ADDFD); its number there, or -1.
    int add_descriptor(std::uint64_t id, int fd, bool close_on_exec);
    // No call is taken any more; those that wait get ENOSYS.
    void close();

private:
    Notifications(boost::asio::io_context& loop, UniqueFd listener, Handler handler, std::size_t notification_size,
                  std::size_t response_size);
    void wait();
    void drain();
    bool take_one();

    boost::asio::posix::stream_descriptor listener_;
    Handler handler_;
    std::vector<std::byte> notification_, response_; // of the sizes that the running kernel wants
    std::shared_ptr<bool> alive_;
};

} // namespace belljar
