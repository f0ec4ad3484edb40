#include "core/system/error.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace belljar {

std::string Error::message() const {
    std::string line = what;
    if (!why.empty()) line += (line.empty() ? "" : ": ") + why;
    if (!next.empty()) line += "; " + next;
    return visible(line);
}

tl::unexpected<Error> system_failure(std::string what, int errno_value) {
    return tl::unexpected<Error>(Error{std::move(what), std::strerror(errno_value), {}, errno_value});
}

tl::unexpected<Error> system_failure(std::string what) {
    const int saved = errno;
    return system_failure(std::move(what), saved);
}

namespace {

// The length of the valid UTF-8 sequence at the front of `text`, or 0 (RFC 3629: no overlong forms, no surrogates).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
    const unsigned char b = byte(0);
    if (b < 0x80) return 1;
    if (b >= 0xC2 && b <= 0xDF) return tail(1) ? 2 : 0;
    if (b >= 0xE0 && b <= 0xEF) {
        if (!tail(1) || !tail(2)) return 0;
        if (b == 0xE0 && byte(1) < 0xA0) return 0;
        if (b == 0xED && byte(1) > 0x9F) return 0;
        return 3;
    }
    if (b >= 0xF0 && b <= 0xF4) {
        if (!tail(1) || !tail(2) || !tail(3)) return 0;
        if (b == 0xF0 && byte(1) < 0x90) return 0;
        if (b == 0xF4 && byte(1) > 0x8F) return 0;
        return 4;
    }
    return 0;
}

// C1 controls (U+0080..U+009F), and the bidirectional and zero-width controls that let one text pass for another.
bool is_invisible(std::string_view sequence) {
    if (sequence.size() == 2 && static_cast<unsigned char>(sequence[0]) == 0xC2)
        return static_cast<unsigned char>(sequence[1]) < 0xA0;
    if (sequence.size() == 3 && sequence[0] == '\xE2') {
        const auto second = static_cast<unsigned char>(sequence[1]);
        const auto third = static_cast<unsigned char>(sequence[2]);
        if (second == 0x80) return (third >= 0x8B && third <= 0x8F) || (third >= 0xA8 && third <= 0xAE);
        if (second == 0x81) return third >= 0xA0 && third <= 0xAF;
    }
    return false;
}

} // namespace

std::string visible(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        const bool control = first < 0x20 || first == 0x7F || length == 0 || is_invisible(text.substr(0, length));
        const std::size_t taken = length == 0 ? 1 : length;
        if (control) {
            for (std::size_t i = 0; i < taken; ++i)
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
        } else {
            out.append(text.substr(0, taken));
        }
        text.remove_prefix(taken);
    }
    return out;
}

} // namespace belljar
