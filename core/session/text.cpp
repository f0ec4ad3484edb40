// Bytes that are no UTF-8 as readable text, and back (the contract is in spec.h). Why not base64 or hex: most arguments
// and paths are plain text, and a record must show them as they were typed.
#include "core/session/spec.h"

namespace belljar {
namespace {

// The length of the valid UTF-8 sequence at the front, or 0 (RFC 3629: no overlong form, no surrogate, at most
// U+10FFFF).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto tail = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF)
        return tail(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && tail(2) ? 3 : 0;
    if (first >= 0xF0 && first <= 0xF4)
        return tail(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && tail(2) && tail(3) ? 4 : 0;
    return 0;
}

// U+F780…U+F7FF, the markers, are exactly the sequences EF 9E xx and EF 9F xx.
bool is_marker(std::string_view text) {
    return text.size() >= 3 && text[0] == '\xEF' && (text[1] == '\x9E' || text[1] == '\x9F') &&
           (static_cast<unsigned char>(text[2]) & 0xC0) == 0x80;
}

void append_marker(std::string& out, unsigned char byte) {
    out += '\xEF';
    out += static_cast<char>(0x9E | ((byte >> 6) & 1));
    out += static_cast<char>(0x80 | (byte & 0x3F));
}

} // namespace

std::string bytes_to_text(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t length = utf8_length(bytes);
        if (length == 0 || is_marker(bytes.substr(0, length))) {
            append_marker(out, static_cast<unsigned char>(bytes[0]));
            bytes.remove_prefix(1);
        } else {
            out.append(bytes.substr(0, length));
            bytes.remove_prefix(length);
        }
    }
    return out;
}

std::string text_to_bytes(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const bool marker = is_marker(text);
        if (marker)
            out += static_cast<char>(0x80 | ((static_cast<unsigned char>(text[1]) & 1) << 6) |
                                     (static_cast<unsigned char>(text[2]) & 0x3F));
        else
            out += text[0];
        text.remove_prefix(marker ? 3 : 1);
    }
    return out;
}

} // namespace belljar
