// What the fuzz targets share: a property that must hold for every input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace belljar::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}
inline std::span<const std::byte> span_of(const std::uint8_t* bytes, std::size_t size) {
    return std::as_bytes(std::span(bytes, size));
}
inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

// Feeds a reader the whole at once, and again byte by byte: the outcome must be the same.
template <class Reader>
Reader read_both_ways(std::span<const std::byte> bytes) {
    Reader at_once, bytewise;
    at_once.feed(bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytewise.feed(bytes.subspan(i, 1));
    require(at_once.state() == bytewise.state(), "segments do not matter");
    require(at_once.reason() == bytewise.reason(), "segments do not matter to the reason");
    return at_once;
}

} // namespace belljar::fuzz
