#include "helper/supervisor/terminal.h"

#include "core/system/files.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace belljar {
namespace {

constexpr std::size_t kChunk = 64u << 10;
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::string_view kLogFull = "\r\n[belljar: the transcript ends here: it reached its limit]\r\n";

void make_non_blocking(int fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

} // namespace

Terminal::Terminal(boost::asio::io_context& loop, UniqueFd master, UniqueFd client, UniqueFd log, std::size_t log_limit)
    : master_(loop), client_(loop), again_(loop), log_(std::move(log)), log_left_(log_limit), output_(kChunk),
      input_(kChunk), alive_(std::make_shared<bool>(true)) {
    make_non_blocking(master.get());
    master_.assign(master.release());
    if (!client) return;
    make_non_blocking(client.get());
    client_.assign(client.release());
}

Terminal::~Terminal() {
    *alive_ = false;
}

void Terminal::start() {
    read_output();
    read_input();
}

void Terminal::read_output() {
    if (std::exchange(reading_, true)) return;
    master_.async_read_some(boost::asio::buffer(output_),
                            [this, alive = alive_](const boost::system::error_code& error, std::size_t size) {
                                if (!*alive) return;
                                reading_ = false;
                                if (error == boost::asio::error::operation_aborted) return;
                                if (error) return output_ended(); // EIO: nobody holds the other side at the moment
                                keep({output_.data(), size});
                                write_output(size);
                            });
}

// A program may close its terminal and another open /dev/tty later, so this is the end only when the session is over.
void Terminal::output_ended() {
    if (drained_) {
        drop_client();
        boost::system::error_code ignored;
        master_.close(ignored);
        boost::asio::post(again_.get_executor(), std::exchange(drained_, nullptr));
        return;
    }
    again_.expires_after(kLookAgain);
    again_.async_wait([this, alive = alive_](const boost::system::error_code&) {
        if (*alive && master_.is_open()) read_output();
    });
}

void Terminal::write_output(std::size_t size) {
    if (!client_.is_open()) return read_output();
    boost::asio::async_write(client_, boost::asio::buffer(output_, size),
                             [this, alive = alive_](const boost::system::error_code& error, std::size_t) {
                                 if (!*alive) return;
                                 if (error) drop_client();
                                 read_output();
                             });
}

void Terminal::keep(std::string_view bytes) {
    if (!log_) return;
    const std::string_view part = bytes.substr(0, log_left_);
    log_left_ -= part.size();
    bool kept = write_all(log_.get(), part, "console.log").has_value();
    if (part.size() < bytes.size()) {
        kept = kept && write_all(log_.get(), kLogFull, "console.log").has_value();
        log_.reset();
    }
    if (!kept) log_.reset(); // a full disk: the transcript is no record, the session goes on
}

void Terminal::read_input() {
    if (!client_.is_open()) return;
    client_.async_read_some(
        boost::asio::buffer(input_), [this, alive = alive_](const boost::system::error_code& error, std::size_t size) {
            if (!*alive || error) return; // the end of what is typed; what the session writes still goes out
            boost::asio::async_write(master_, boost::asio::buffer(input_, size),
                                     [this, alive](const boost::system::error_code& failed, std::size_t) {
                                         if (*alive && !failed) read_input();
                                     });
        });
}

void Terminal::drop_client() {
    if (!client_.is_open()) return;
    ::shutdown(client_.native_handle(), SHUT_RDWR);
    boost::system::error_code ignored;
    client_.close(ignored);
}

Status Terminal::resize(unsigned rows, unsigned columns) {
    const winsize size{.ws_row = static_cast<unsigned short>(rows),
                       .ws_col = static_cast<unsigned short>(columns),
                       .ws_xpixel = 0,
                       .ws_ypixel = 0};
    if (!master_.is_open() || ::ioctl(master_.native_handle(), TIOCSWINSZ, &size) != 0)
        return system_failure("resize the terminal");
    return {};
}

bool Terminal::signal_foreground(int number) {
    pid_t group = 0;
    return master_.is_open() && ::ioctl(master_.native_handle(), TIOCGPGRP, &group) == 0 && group > 1 &&
           ::kill(-group, number) == 0;
}

void Terminal::say(std::string_view line) {
    if (!client_.is_open()) return;
    const std::string text = "\r\nbelljar: " + visible(line) + "\r\n";
    (void)::send(client_.native_handle(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Terminal::drain(std::function<void()> done) {
    drained_ = std::move(done);
    again_.cancel(); // looks at once
}

} // namespace belljar
