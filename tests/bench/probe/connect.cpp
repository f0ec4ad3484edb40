// What a program waits for until the first byte of an answer is there.
#include "tests/bench/probe/network.h"
#include "tests/bench/probe/probe.h"

namespace belljar::bench {

int connect(Arguments arguments) {
    if (arguments.size() != 3) throw std::runtime_error("ADDRESS PORT COUNT");
    const sockaddr_in to = address_of(arguments[0], std::stoi(arguments[1]));
    const int count = std::stoi(arguments[2]);
    for (int i = 0; i < count; ++i) {
        const auto start = Clock::now();
        const UniqueFd socket = connect_to(to);
        char byte = 0;
        if (::recv(socket.get(), &byte, 1, 0) != 1) throw std::runtime_error("no byte came back");
        print("connect", microseconds_since(start));
    }
    return 0;
}

} // namespace belljar::bench
