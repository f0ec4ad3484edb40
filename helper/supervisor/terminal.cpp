#include "helper/supervisor/terminal.h"

#include "core/system/files.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace belljar {
namespace {

constexpr std::size_t kChunk = 64u << 10; // per turn of the loop
constexpr std::size_t kMostTyped = 64u << 10;
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::seconds kPatience{1}; // with a client who takes nothing, while others do
constexpr std::string_view kLogFull = "\r\n[belljar: the transcript ends here: it reached its limit]\r\n";

} // namespace

Terminal::Terminal(boost::asio::io_context& loop, UniqueFd master, UniqueFd first, UniqueFd log, TerminalSize size,
                   std::size_t log_limit)
    : loop_(loop), master_(loop), again_(loop), patience_(loop), log_(std::move(log)), log_left_(log_limit), size_(size),
      screen_(size), first_(std::move(first)), output_(kChunk), alive_(std::make_shared<bool>(true)) {
    ::fcntl(master.get(), F_SETFL, ::fcntl(master.get(), F_GETFL) | O_NONBLOCK);
    master_.assign(master.release());
}

Terminal::~Terminal() {
    *alive_ = false;
}

void Terminal::start() {
    if (first_) add(std::make_shared<TerminalClient>(loop_, std::move(first_), kFirstClient, size_), false);
    fit();
    read_output();
}

std::optional<int> Terminal::next_client() {
    if (clients_.size() >= kMostClients || ended_) return std::nullopt;
    return ++last_number_;
}

void Terminal::attach(int number, UniqueFd stream, TerminalSize size, bool read_only, std::string_view typed) {
    if (ended_) return;
    const auto client = std::make_shared<TerminalClient>(loop_, std::move(stream), number, size);
    add(client, read_only);
    fit();
    client->put(screen_.paint(size.rows));
    if (!read_only && !typed.empty()) type(typed);
}

void Terminal::add(const Client& client, bool read_only) {
    clients_.push_back(client);
    client->start({.typed =
                       [this, read_only, alive = alive_](std::string_view bytes) {
                           return *alive && (read_only || type(bytes));
                       },
                   .took =
                       [this, alive = alive_, weak = std::weak_ptr(client)] {
                           if (const Client self = weak.lock(); self && *alive) took(self);
                       },
                   .gone =
                       [this, alive = alive_, weak = std::weak_ptr(client)] {
                           const Client self = weak.lock();
                           if (!*alive || !self) return;
                           std::erase(clients_, self);
                           if (ended_) {
                               if (clients_.empty() && drained_) boost::asio::post(loop_, std::exchange(drained_, nullptr));
                               return;
                           }
                           fit();
                           read_output();
                       }});
}

Terminal::Client Terminal::find(int number) const {
    const auto found = std::ranges::find_if(clients_, [&](const Client& each) { return each->number() == number; });
    return found != clients_.end() ? *found : nullptr;
}

bool Terminal::detach(int number) {
    const Client client = find(number);
    if (!client) return false;
    client->put(screen_.undo());
    client->close_when_taken();
    return true;
}

bool Terminal::resize(int number, TerminalSize size) {
    const Client client = find(number);
    if (!client) return false;
    client->size = size;
    fit();
    return true;
}

// The smallest of all; what it was when the last one has gone.
void Terminal::fit() {
    TerminalSize smallest = size_;
    if (!clients_.empty()) smallest = clients_.front()->size;
    for (const Client& client : clients_)
        smallest = {std::min(smallest.rows, client->size.rows), std::min(smallest.columns, client->size.columns)};
    const winsize size{.ws_row = static_cast<unsigned short>(smallest.rows),
                       .ws_col = static_cast<unsigned short>(smallest.columns),
                       .ws_xpixel = 0,
                       .ws_ypixel = 0};
    if (master_.is_open()) ::ioctl(master_.native_handle(), TIOCSWINSZ, &size); // the same size again signals nobody
    size_ = smallest;
    screen_.resize(smallest);
}

void Terminal::read_output() {
    if (reading_ || ended_ || somebody_waits()) return;
    reading_ = true;
    if (screen_.is_behind()) { // in small pieces, so that whoever waits for a connection has its turn
        screen_.catch_up();
        boost::asio::post(loop_, [this, alive = alive_] {
            if (!*alive) return;
            reading_ = false;
            read_output();
        });
        return;
    }
    master_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this, alive = alive_](const boost::system::error_code& error) {
                           if (!*alive) return;
                           reading_ = false;
                           if (!error) read_now();
                       });
}

// A pty gives 4 KiB at most at a time.
void Terminal::read_now() {
    std::size_t size = 0;
    ssize_t got = 0;
    while (size < output_.size()) {
        got = ::read(master_.native_handle(), output_.data() + size, output_.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size += static_cast<std::size_t>(got);
    }
    const bool ended = got == 0 || (got < 0 && errno != EAGAIN);
    if (size > 0) pass_on({output_.data(), size});
    // EIO: nobody holds the other side at the moment.
    if (ended && size == 0) return output_ended();
    read_output();
}

void Terminal::pass_on(std::string_view bytes) {
    keep(bytes);
    screen_.feed(bytes);
    for (const Client& client : std::vector(clients_))
        client->put(bytes);
    be_patient();
}

void Terminal::be_patient() {
    if (clients_.size() < 2 || !somebody_waits() || std::exchange(patient_, true)) return;
    patience_.expires_after(kPatience);
    patience_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
        if (!*alive) return;
        patient_ = false;
        if (!error) leave_behind();
    });
}

bool Terminal::somebody_waits() const {
    return std::ranges::any_of(clients_, [](const Client& client) { return client->waits() && !client->is_behind(); });
}

// Who has taken nothing since then does not hold up the others, if there are others.
void Terminal::leave_behind() {
    if (std::ranges::none_of(clients_, [](const Client& client) { return !client->waits() && !client->is_behind(); }))
        return;
    for (const Client& client : std::vector(clients_))
        if (client->waits()) client->fall_behind();
    read_output();
}

void Terminal::took(const Client& client) {
    if (client->is_behind() && !ended_) client->catch_up(screen_.paint(0));
    if (somebody_waits()) return be_patient();
    if (std::exchange(patient_, false)) patience_.cancel();
    read_output();
}

// A program may close its terminal and another open /dev/tty later, so this is the end only when the session is over.
void Terminal::output_ended() {
    if (drained_) {
        ended_ = true;
        patience_.cancel();
        boost::system::error_code ignored;
        master_.close(ignored);
        const std::string undo = screen_.undo();
        for (const Client& client : std::vector(clients_)) {
            client->put(undo);
            client->close_when_taken();
        }
        if (clients_.empty() && drained_) boost::asio::post(loop_, std::exchange(drained_, nullptr));
        return;
    }
    again_.expires_after(kLookAgain);
    again_.async_wait([this, alive = alive_](const boost::system::error_code&) {
        if (*alive && !ended_) read_output();
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

// False: enough for now.
bool Terminal::type(std::string_view bytes) {
    typed_ += bytes;
    write_typed();
    return typed_.size() < kMostTyped;
}

void Terminal::write_typed() {
    if (writing_ || ended_) return;
    while (!typed_.empty()) {
        const ssize_t written = ::write(master_.native_handle(), typed_.data(), typed_.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {
            writing_ = true;
            master_.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                               [this, alive = alive_](const boost::system::error_code& error) {
                                   if (!*alive) return;
                                   writing_ = false;
                                   if (error) return;
                                   write_typed();
                                   if (typed_.size() >= kMostTyped) return;
                                   for (const Client& client : std::vector(clients_))
                                       client->read();
                               });
            return;
        }
        if (written < 0) return typed_.clear();
        typed_.erase(0, static_cast<std::size_t>(written));
    }
}

bool Terminal::signal_foreground(int number) {
    pid_t group = 0;
    return master_.is_open() && ::ioctl(master_.native_handle(), TIOCGPGRP, &group) == 0 && group > 1 &&
           ::kill(-group, number) == 0;
}

void Terminal::say(std::string_view line) {
    const std::string text = "\r\nbelljar: " + visible(line) + "\r\n";
    for (const Client& client : clients_)
        client->say(text);
}

void Terminal::drain(std::function<void()> done) {
    drained_ = std::move(done);
    again_.cancel(); // looks at once
}

} // namespace belljar
