// The measuring half of the benchmarks: loops over system calls that an interpreter would drown in its own cost. One
// static program, so that it runs inside a session as it runs outside. Results are lines "key value" on standard
// output.
#pragma once

#include <chrono>
#include <cstdio>
#include <span>
#include <string_view>

namespace belljar::bench {

using Arguments = std::span<char* const>;
using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

inline void print(std::string_view key, double value) {
    std::printf("%.*s %.4f\n", static_cast<int>(key.size()), key.data(), value);
}

// Each returns the exit status. Wrong arguments throw std::runtime_error.
int launch(Arguments arguments);  // ROUNDS --- COMMAND… [--- COMMAND…]…: µs of each whole run, taken in turns
int calls(Arguments arguments);   // REPEATS: ns of getppid and of open+close, REPEATS batches of each
int denials(Arguments arguments); // COUNT: µs of denied calls (medians), and how many a second over all
int connect(Arguments arguments); // ADDRESS PORT COUNT: µs of socket, connect, one byte back, close
int stream(
    Arguments arguments); // ADDRESS PORT SECONDS [PROXY_PORT]: bytes a second sent to `serve`, by CONNECT with a proxy
int serve(Arguments arguments); // ADDRESS BYTE_PORT SINK_PORT: the other end of `connect` and of `stream`

} // namespace belljar::bench
