#include "helper/supervisor/terminal_client.h"

#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace belljar {
namespace {

constexpr std::size_t kInput = 4096;

} // namespace

TerminalClient::TerminalClient(boost::asio::io_context& loop, UniqueFd stream, int number, TerminalSize size_)
    : size(size_), stream_(loop), number_(number) {
    ::fcntl(stream.get(), F_SETFL, ::fcntl(stream.get(), F_GETFL) | O_NONBLOCK);
    stream_.assign(stream.release());
}

void TerminalClient::start(Handlers handlers) {
    handlers_ = std::move(handlers);
    input_.resize(kInput);
    read();
}

void TerminalClient::read() {
    if (!stream_.is_open() || std::exchange(reading_, true)) return;
    stream_.async_read_some(boost::asio::buffer(input_),
                            [self = shared_from_this()](const boost::system::error_code& error, std::size_t got) {
                                self->reading_ = false;
                                if (!self->stream_.is_open()) return;
                                // The end of what is typed; a client that shut down only that half still looks on.
                                if (error == boost::asio::error::eof) return self->wait_for_end();
                                if (error) return self->close();
                                if (self->handlers_.typed({self->input_.data(), got})) self->read();
                            });
}

// Of a socket whose other half is gone as well (unix(7)) nothing is heard again: looked at first.
void TerminalClient::wait_for_end() {
    pollfd now{stream_.native_handle(), 0, 0};
    if (::poll(&now, 1, 0) == 1) return close();
    stream_.async_wait(boost::asio::posix::stream_descriptor::wait_error,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                           if (!error && self->stream_.is_open()) self->close();
                       });
}

void TerminalClient::put(std::string_view bytes) {
    if (!stream_.is_open() || behind_ || closing_) return;
    waiting_ += bytes;
    if (!writing_) flush();
}

void TerminalClient::flush() {
    std::size_t taken = 0;
    while (taken < waiting_.size()) {
        const ssize_t sent = ::send(stream_.native_handle(), waiting_.data() + taken, waiting_.size() - taken,
                                    MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno != EAGAIN) return close();
        if (sent < 0) break;
        taken += static_cast<std::size_t>(sent);
    }
    waiting_.erase(0, taken);
    if (!waiting_.empty()) return wait_for_room();
    if (closing_) close();
}

void TerminalClient::wait_for_room() {
    if (std::exchange(writing_, true)) return;
    stream_.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                           self->writing_ = false;
                           if (error || !self->stream_.is_open()) return;
                           if (!self->behind_) self->flush();
                           if (self->stream_.is_open() && !self->waits()) self->handlers_.took();
                       });
}

void TerminalClient::say(std::string_view bytes) {
    if (stream_.is_open() && !waits() && !behind_)
        (void)::send(stream_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void TerminalClient::fall_behind() {
    waiting_.clear();
    behind_ = true;
    if (closing_) return close();
    wait_for_room();
}

void TerminalClient::catch_up(std::string_view painted) {
    behind_ = false;
    put(painted);
}

void TerminalClient::close_when_taken() {
    closing_ = true;
    if (!waits()) close();
}

void TerminalClient::close() {
    if (!stream_.is_open()) return;
    ::shutdown(stream_.native_handle(), SHUT_RDWR);
    boost::system::error_code ignored;
    stream_.close(ignored);
    waiting_.clear();
    if (auto gone = std::exchange(handlers_.gone, nullptr)) gone();
}

} // namespace belljar
