// One client's byte stream to the session's terminal. What it does not take at once waits here; the terminal looks at
// how much that is. Loop thread only.
#pragma once

#include "core/system/unique_fd.h"
#include "helper/supervisor/terminal_modes.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

class TerminalClient : public std::enable_shared_from_this<TerminalClient> {
public:
    struct Handlers {
        std::function<bool(std::string_view)> typed; // false: no more of that before read() is called
        std::function<void()> took;                  // everything that waited, or room again for one that fell behind
        std::function<void()> gone;                  // called once, also by close()
    };
    TerminalClient(boost::asio::io_context& loop, UniqueFd stream, int number, TerminalSize size);

    void start(Handlers handlers);
    void read();
    void put(std::string_view bytes);
    void say(std::string_view bytes); // if it is taken at once, and not between halves of something
    void close();
    // Once everything has been taken, or at once if that is nothing.
    void close_when_taken();

    bool waits() const { return !waiting_.empty(); } // for the client to take what is there
    // What waits is given up; `took` is called when the client takes again.
    void fall_behind();
    bool is_behind() const { return behind_; }
    void catch_up(std::string_view painted);

    int number() const { return number_; }
    TerminalSize size;

private:
    void wait_for_room();
    void flush();
    void wait_for_end();

    boost::asio::posix::stream_descriptor stream_;
    const int number_;
    Handlers handlers_;
    std::string waiting_;
    std::vector<char> input_;
    bool reading_ = false, writing_ = false, behind_ = false, closing_ = false;
};

} // namespace belljar
