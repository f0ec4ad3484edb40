// The session's own terminal: passes the pty's output to every attached client and to console.log (at most 16 MiB; then
// that is said in it, and it stops), and what clients type to the pty. The user's own terminals never enter the session.
//
// Nothing is lost to a client who takes its time: the session waits for it. Where several are attached, one that takes
// nothing for a second falls behind, so that it does not hold up the others; when it takes again its screen is drawn
// anew. As one stream of bytes must fit all, the terminal is as large as the smallest client's. Loop thread only. Rests
// on pty(7), ioctl_tty(2).
#pragma once

#include "core/system/error.h"
#include "core/system/unique_fd.h"
#include "helper/supervisor/screen.h"
#include "helper/supervisor/terminal_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

inline constexpr std::size_t kMaxConsoleBytes = 16u << 20;
inline constexpr int kFirstClient = 0; // whose stream came with the session

class Terminal {
public:
    // `first` may be empty. `log`: the transcript, open for writing, or empty.
    Terminal(boost::asio::io_context& loop, UniqueFd master, UniqueFd first, UniqueFd log, TerminalSize size = {},
             std::size_t log_limit = kMaxConsoleBytes);
    ~Terminal();

    void start();
    // A further client; its screen is drawn first. Nothing when there are too many already. `typed`: what it has sent.
    std::optional<int> next_client();
    void attach(int number, UniqueFd stream, TerminalSize size, bool read_only, std::string_view typed = {});
    // Sends what puts the client's terminal back to its defaults, and closes the stream. False: there is no such client.
    bool detach(int number);
    // False: there is no such client.
    bool resize(int number, TerminalSize size);
    std::size_t clients() const { return clients_.size(); }
    // To the terminal's foreground process group. False: it has none that can be reached.
    bool signal_foreground(int number);
    // A line of the supervisor's own for whoever watches, if they take it at once; not part of the session's output.
    void say(std::string_view line);
    // When nothing inside holds the terminal any more: passes on what it still holds, closes the clients' streams, calls
    // `done`.
    void drain(std::function<void()> done);

private:
    static constexpr std::size_t kMostClients = 16;
    using Client = std::shared_ptr<TerminalClient>;

    void add(const Client& client, bool read_only);
    void read_output();
    void read_now();
    void output_ended();
    void pass_on(std::string_view bytes);
    bool somebody_waits() const;
    void be_patient();
    void leave_behind();
    void took(const Client& client);
    void keep(std::string_view bytes);
    bool type(std::string_view bytes);
    void write_typed();
    void fit();
    Client find(int number) const;

    boost::asio::io_context& loop_;
    boost::asio::posix::stream_descriptor master_;
    boost::asio::steady_timer again_, patience_;
    UniqueFd log_;
    std::size_t log_left_;
    TerminalSize size_;
    Screen screen_;
    std::vector<Client> clients_;
    UniqueFd first_;
    int last_number_ = kFirstClient;
    std::vector<char> output_;
    std::string typed_; // on its way into the pty
    bool reading_ = false, writing_ = false, patient_ = false, ended_ = false;
    std::function<void()> drained_;
    std::shared_ptr<bool> alive_;
};

} // namespace belljar
