// The UDP side of the door: every datagram that is not DNS is counted, recorded (folded) and dropped. Nothing is
// answered.
#pragma once

#include "helper/supervisor/door.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <vector>

namespace belljar {

class UdpDrop {
public:
    // `sockets` have IP_RECVORIGDSTADDR or IPV6_RECVORIGDSTADDR set (ip(7)): the original destination comes beside each
    // datagram.
    UdpDrop(boost::asio::io_context& loop, std::vector<UniqueFd> sockets, const Judge& judge, Recorder& recorder);

private:
    using Socket = boost::asio::posix::stream_descriptor;
    void wait(Socket& socket);
    void take(Socket& socket);
    void record(const Endpoint& original);

    const Judge& judge_;
    Recorder& recorder_;
    std::vector<std::unique_ptr<Socket>> sockets_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // for what the loop has queued
};

} // namespace belljar
