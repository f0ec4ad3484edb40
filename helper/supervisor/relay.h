// One relay: bytes both ways between the session's socket and the one outside, until both sides have ended or one is
// reset. End-of-file is passed on as shutdown(2), a reset as a reset, and what was read before either is delivered
// first. Lives on the relays' thread; keeps itself alive until it has ended.
#pragma once

#include "core/system/unique_fd.h"
#include "helper/supervisor/splice_pipe.h"

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace belljar {

// Bytes handed to the other side's kernel. Read from any thread.
struct RelayCounts {
    std::atomic<std::uint64_t> sent{0}, received{0};
};

enum class RelayEnd { Closed, ResetInside, ResetOutside, Cut, Failed };

class Relay : public std::enable_shared_from_this<Relay> {
public:
    using Ended = std::function<void(RelayEnd end)>; // once, on the relays' thread
    // `first` goes out before anything else. Both sockets are made non-blocking.
    Relay(boost::asio::io_context& thread, PipePool& pipes, UniqueFd inside, UniqueFd outside,
          std::vector<std::byte> first, std::shared_ptr<RelayCounts> counts, Ended ended);
    // Before start(), on whatever thread: moves the first bytes of each side that are there already. Waking the relays'
    // thread takes longer than sending a request, or a greeting.
    void pass_what_is_there();
    void start();
    void end(RelayEnd how); // closes both; with a reset unless Closed

private:
    using Socket = boost::asio::posix::stream_descriptor;
    struct Way { // one direction
        Socket& from;
        Socket& to;
        std::atomic<std::uint64_t>& moved;
        RelayEnd from_reset, to_reset; // how the relay ends when that side is reset
        std::optional<SplicePipe> pipe{};
        bool ended = false;   // nothing more will be carried this way
        bool to_gone = false; // because writing failed
    };
    enum class Step { Again, WaitRead, WaitWrite, EndOfFile, ReadFailed, WriteFailed };

    static boost::asio::awaitable<void> carry(std::shared_ptr<Relay> self, Way& way, Way& back);
    Step step(Way& way);
    Step copy(Way& way);
    Step send_first(int to);
    Step copy_greeting();
    void give_back(Way& way);
    void finish_way(Way& way, Way& back);
    void watch_for_reset(Way& way);

    PipePool& pipes_;
    Socket inside_, outside_;
    std::vector<std::byte> first_;
    std::size_t first_sent_ = 0;
    std::shared_ptr<RelayCounts> counts_;
    Ended ended_;
    UniqueFd inside_fd_, outside_fd_; // until start()
    Way out_, in_;
    std::optional<RelayEnd> reset_early_; // seen by pass_what_is_there(), which took the socket's error
    bool over_ = false;
};

} // namespace belljar
