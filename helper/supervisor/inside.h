// The inside of the session as the supervisor knows it: the link to init, and init's process. What comes over the link
// is treated as hostile. Loop thread only.
#pragma once

#include "helper/link/link.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>

namespace belljar {

class Inside {
public:
    struct Handlers {
        std::function<void(link::Message)> message;
        std::function<void(const std::string& reason)> closed; // once: the other end is gone, or broke the protocol
    };
    Inside(boost::asio::io_context& loop, UniqueFd link, Handlers handlers);
    ~Inside();

    // EAGAIN (as the Error's errno) when init does not keep up.
    Status send(link::Type type, std::uint32_t request, std::int32_t value, std::string_view text = {},
                std::span<const int> fds = {});
    void close();

private:
    void wait();
    void drain();

    boost::asio::posix::stream_descriptor link_;
    Handlers handlers_;
    std::shared_ptr<bool> alive_;
};

// The one child of this process (init, when this is pid 1 of the outer pid namespace).
std::optional<pid_t> only_child();
// Among init's children the one that init knows as `inner`, as this process numbers it.
std::optional<pid_t> child_known_as(pid_t init, pid_t inner);
// Whether the process is there and no zombie.
bool runs(pid_t pid);
// How many processes the session has now, this one not counted.
std::size_t count_processes();

} // namespace belljar
