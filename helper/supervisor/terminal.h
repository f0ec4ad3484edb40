// The session's own terminal: relays between the pty's master and the owner's byte stream, each side as fast as the
// other takes it, and keeps the transcript in console.log (at most 16 MiB; then that is said in it, and it stops). With
// no client attached output goes to the transcript alone. The user's own terminal never enters the session. Loop thread
// only. Rests on pty(7), ioctl_tty(2).
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

inline constexpr std::size_t kMaxConsoleBytes = 16u << 20;

class Terminal {
public:
    // `client` may be empty. `log`: the transcript, open for writing, or empty.
    Terminal(boost::asio::io_context& loop, UniqueFd master, UniqueFd client, UniqueFd log,
             std::size_t log_limit = kMaxConsoleBytes);
    ~Terminal();

    void start();
    Status resize(unsigned rows, unsigned columns);
    // To the terminal's foreground process group. False: it has none that can be reached.
    bool signal_foreground(int number);
    // A line of the supervisor's own for whoever watches, if they take it at once; not part of the session's output.
    void say(std::string_view line);
    // When nothing inside holds the terminal any more: passes on what it still holds, closes the client's stream, calls
    // `done`.
    void drain(std::function<void()> done);

private:
    void read_output();
    void output_ended();
    void write_output(std::size_t size);
    void keep(std::string_view bytes);
    void read_input();
    void drop_client();

    boost::asio::posix::stream_descriptor master_, client_;
    boost::asio::steady_timer again_;
    UniqueFd log_;
    std::size_t log_left_;
    std::vector<char> output_, input_;
    bool reading_ = false;
    std::function<void()> drained_;
    std::shared_ptr<bool> alive_;
};

} // namespace belljar
