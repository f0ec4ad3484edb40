// One stream, sent as fast as it goes; the sink says how many bytes arrived, so that nothing counts that is still under
// way.
#include "tests/bench/probe/network.h"
#include "tests/bench/probe/probe.h"

#include <vector>

namespace belljar::bench {
namespace {

void ask_proxy(int socket, const std::string& target) {
    const std::string request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
    if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("the proxy is gone");
    std::string answer;
    while (!answer.ends_with("\r\n\r\n")) {
        char byte = 0;
        if (::recv(socket, &byte, 1, 0) != 1) throw std::runtime_error("the proxy closed");
        answer.push_back(byte);
    }
    if (answer.find(" 200 ") == std::string::npos) throw std::runtime_error("the proxy refused");
}

std::string read_to_end(int socket) {
    std::string all;
    char buffer[64];
    for (ssize_t n = 0; (n = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
        all.append(buffer, static_cast<std::size_t>(n));
    return all;
}

} // namespace

int stream(Arguments arguments) {
    if (arguments.size() != 3 && arguments.size() != 4) throw std::runtime_error("ADDRESS PORT SECONDS [PROXY_PORT]");
    const std::string address = arguments[0];
    const int proxy_port = arguments.size() == 4 ? std::stoi(arguments[3]) : 0;
    const UniqueFd socket = connect_to(address_of(address, proxy_port != 0 ? proxy_port : std::stoi(arguments[1])));
    if (proxy_port != 0) ask_proxy(socket.get(), address + ":" + arguments[1]);
    const std::vector<char> block(128 << 10, 'x');
    const double limit = std::stod(arguments[2]) * 1e6;
    const auto start = Clock::now();
    while (microseconds_since(start) < limit)
        if (::send(socket.get(), block.data(), block.size(), MSG_NOSIGNAL) < 0)
            throw std::runtime_error("the stream broke");
    if (::send(socket.get(), "\n", 1, MSG_NOSIGNAL) != 1) throw std::runtime_error("the stream broke");
    const std::string arrived = read_to_end(socket.get());
    if (arrived.empty()) throw std::runtime_error("the sink did not answer");
    print("bytes_per_second", std::stod(arrived) * 1e6 / microseconds_since(start));
    return 0;
}

} // namespace belljar::bench
