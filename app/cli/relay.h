// One direction of one standard stream between the user's descriptor and the session's. Three ways were open: a thread
// for each stream (costs 0.1 ms of a launch of 4 ms), O_NONBLOCK on the user's descriptors (it would stay on the open
// file description that the user's shell and other programs share), or what is here: one poll(2) loop, in which every
// transfer is of a kind that cannot block: splice(2) with SPLICE_F_NONBLOCK between pipes, MSG_DONTWAIT on sockets, and
// for the rest no more than poll(2) promised room for. A regular file may still block on its disk.
#pragma once

#include "core/system/unique_fd.h"

#include <cstdint>
#include <functional>
#include <poll.h>
#include <string_view>
#include <vector>

namespace belljar::cli {

// One end of a relay. A borrowed descriptor is never closed and never has its flags changed.
class Channel {
public:
    static Channel owned(UniqueFd fd); // ours: made non-blocking, closed at the end
    static Channel borrowed(int fd);   // the user's
    int get() const { return own_ ? own_.get() : borrowed_; }
    void close(); // what is borrowed is only let go
    bool is_ours() const { return static_cast<bool>(own_); }
    enum class Kind { Pipe, Socket, File, Other };
    Kind kind() const { return kind_; }

private:
    UniqueFd own_;
    int borrowed_ = -1;
    Kind kind_ = Kind::Other;
};

class Relay {
public:
    // `may_read`, where given, is asked before each read; while it answers false nothing is taken from the source.
    Relay(Channel source, Channel target, std::function<bool()> may_read = {});

    // Fills the two entries with what to wait for (fd -1: nothing).
    void want(pollfd& source, pollfd& target);
    // Moves what can be moved.
    void step(const pollfd& source, const pollfd& target);
    bool finished() const { return state_ == State::Finished; }
    bool source_ended() const { return source_ended_; } // finished because nothing more comes
    bool waits_for_source() const { return state_ == State::Source; }
    bool held() const { return held_; } // may_read said no at the last want()
    void finish();                      // closes what is ours
    // Instead of ending at the source's end of file, sends these bytes and goes on.
    void at_end_send(std::string_view bytes) { at_end_ = bytes; }
    // What is read passes through `through`; what that gives goes on. Not where splice(2) is used.
    void pass_through(std::function<std::string(std::string_view)> through) { through_ = std::move(through); }
    // Sends these bytes as if they had been read. False: something is still on its way, try again later.
    bool push(std::string_view bytes);
    std::uint64_t moved() const { return moved_; }

private:
    enum class State { Source, Target, Finished };
    void move();
    bool splice_once();
    bool copy_once();
    long read_some();
    long write_some();

    Channel source_, target_;
    std::function<bool()> may_read_;
    std::function<std::string(std::string_view)> through_;
    std::string_view at_end_;
    State state_ = State::Source;
    bool splices_ = false, held_ = false, source_ended_ = false;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t moved_ = 0;
};

} // namespace belljar::cli
