// The servers of the benchmarks' own network: one answers every connection with a byte, the other swallows and counts.
#include "tests/bench/probe/network.h"
#include "tests/bench/probe/probe.h"

#include <thread>
#include <vector>

namespace belljar::bench {
namespace {

UniqueFd accept_from(const UniqueFd& listener) {
    return UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

void answer_bytes(const UniqueFd& listener) {
    while (const UniqueFd peer = accept_from(listener))
        ::send(peer.get(), "x", 1, MSG_NOSIGNAL);
}

// The end is a newline and not a shutdown: tinyproxy cuts both ways at the first.
void swallow(const UniqueFd& listener) {
    std::vector<char> buffer(256 << 10);
    while (const UniqueFd peer = accept_from(listener)) {
        unsigned long long bytes = 0;
        bool ended = false;
        for (ssize_t n = 0; !ended && (n = ::recv(peer.get(), buffer.data(), buffer.size(), 0)) > 0;) {
            bytes += static_cast<unsigned long long>(n);
            ended = buffer[static_cast<std::size_t>(n) - 1] == '\n';
        }
        const std::string count = std::to_string(bytes);
        ::send(peer.get(), count.data(), count.size(), MSG_NOSIGNAL);
    }
}

} // namespace

int serve(Arguments arguments) {
    if (arguments.size() != 3) throw std::runtime_error("ADDRESS BYTE_PORT SINK_PORT");
    const UniqueFd bytes = listen_on(address_of(arguments[0], std::stoi(arguments[1])));
    const UniqueFd sink = listen_on(address_of(arguments[0], std::stoi(arguments[2])));
    print("ready", 1);
    std::fflush(stdout);
    std::thread([&] { answer_bytes(bytes); }).detach();
    swallow(sink);
    return 0;
}

} // namespace belljar::bench
