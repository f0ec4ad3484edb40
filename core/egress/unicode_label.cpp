#include "core/egress/unicode_label.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace belljar {
namespace {

enum class Script { Common, Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic, Thai, Han, Kana, Hangul };

struct Range {
    char32_t first, last;
    Script script;
};

// Lower-case letters (and what counts as one) that RFC 5892 calls valid. Digits other than ASCII's are left out.
constexpr Range kLetters[] = {
    {U'-', U'-', Script::Common},       {U'0', U'9', Script::Common},       {U'a', U'z', Script::Latin},
    {0x00DF, 0x00F6, Script::Latin},    {0x00F8, 0x012F, Script::Latin},    {0x0131, 0x0131, Script::Latin},
    {0x0134, 0x013E, Script::Latin},    {0x0141, 0x0148, Script::Latin},    {0x014A, 0x017E, Script::Latin},
    {0x01A1, 0x01A1, Script::Latin},    {0x01B0, 0x01B0, Script::Latin},    {0x0219, 0x0219, Script::Latin},
    {0x021B, 0x021B, Script::Latin},    {0x1EA0, 0x1EF9, Script::Latin},    {0x03AC, 0x03CE, Script::Greek},
    {0x0390, 0x0390, Script::Greek},    {0x0430, 0x045F, Script::Cyrillic}, {0x048B, 0x04BF, Script::Cyrillic},
    {0x04D1, 0x052F, Script::Cyrillic}, {0x0561, 0x0586, Script::Armenian}, {0x10D0, 0x10FA, Script::Georgian},
    {0x05D0, 0x05EA, Script::Hebrew},   {0x0620, 0x063F, Script::Arabic},   {0x0641, 0x064A, Script::Arabic},
    {0x0679, 0x0681, Script::Arabic},   {0x0683, 0x06BF, Script::Arabic},   {0x06C1, 0x06C3, Script::Arabic},
    {0x06CC, 0x06CC, Script::Arabic},   {0x0E01, 0x0E32, Script::Thai},     {0x0E34, 0x0E3A, Script::Thai},
    {0x0E40, 0x0E4E, Script::Thai},     {0x3005, 0x3005, Script::Han},      {0x3400, 0x4DBF, Script::Han},
    {0x4E00, 0x9FFF, Script::Han},      {0x3041, 0x3096, Script::Kana},     {0x30A1, 0x30FA, Script::Kana},
    {0x30FC, 0x30FC, Script::Kana},     {0xAC00, 0xD7A3, Script::Hangul},
};

// Blocks in which upper case and lower case alternate, the capital at even or at odd code points.
struct Alternating {
    char32_t first, last;
    unsigned capital_parity;
};
constexpr Alternating kAlternating[] = {
    {0x0100, 0x012F, 0}, {0x0134, 0x0137, 0}, {0x0139, 0x013E, 1}, {0x0141, 0x0148, 1},
    {0x014A, 0x0177, 0}, {0x0179, 0x017E, 1}, {0x01A0, 0x01A1, 0}, {0x01AF, 0x01B0, 1},
    {0x0218, 0x021B, 0}, {0x1EA0, 0x1EF9, 0}, {0x048A, 0x04BF, 0}, {0x04D0, 0x052F, 0},
};

// Unicode's simple lower-case mapping, for the letters of kLetters.
char32_t lower(char32_t c) {
    const auto in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
    if (in(U'A', U'Z') || (in(0x00C0, 0x00DE) && c != 0x00D7)) return c + 0x20;
    if (in(0x0391, 0x03AB) && c != 0x03A2) return c + 0x20;
    if (in(0x0410, 0x042F)) return c + 0x20;
    if (in(0x0400, 0x040F)) return c + 0x50;
    if (in(0x0531, 0x0556)) return c + 0x30;
    switch (c) {
    case 0x0178:
        return 0x00FF;
    case 0x0386:
        return 0x03AC;
    case 0x0388:
        return 0x03AD;
    case 0x0389:
        return 0x03AE;
    case 0x038A:
        return 0x03AF;
    case 0x038C:
        return 0x03CC;
    case 0x038E:
        return 0x03CD;
    case 0x038F:
        return 0x03CE;
    }
    for (const Alternating& block : kAlternating)
        if (c >= block.first && c <= block.last) return c % 2 == block.capital_parity ? c + 1 : c;
    return c;
}

std::optional<Script> script_of(char32_t c) {
    for (const Range& range : kLetters)
        if (c >= range.first && c <= range.last) return range.script;
    return std::nullopt;
}

std::optional<std::u32string> decode_utf8(std::string_view text) {
    std::u32string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
        const unsigned char first = byte(i);
        const std::size_t length = first < 0x80         ? 1
                                   : (first >> 5) == 6  ? 2
                                   : (first >> 4) == 14 ? 3
                                   : (first >> 3) == 30 ? 4
                                                        : 0;
        if (length == 0 || i + length > text.size()) return std::nullopt;
        char32_t c = length == 1 ? first : first & (0xffu >> (length + 1));
        for (std::size_t k = 1; k < length; ++k) {
            if ((byte(i + k) & 0xC0) != 0x80) return std::nullopt;
            c = c << 6 | (byte(i + k) & 0x3Fu);
        }
        constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
        if (c < smallest[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return std::nullopt;
        out += c;
        i += length;
    }
    return out;
}

bool is_east_asian(Script script) {
    return script == Script::Han || script == Script::Kana || script == Script::Hangul;
}

// One script in a label; Han goes with kana or with Hangul, and these with ASCII letters (Unicode TR 39, "highly
// restrictive").
bool may_stand_together(Script one, Script other) {
    if (one == other) return true;
    if (one == Script::Han || other == Script::Han) return is_east_asian(one == Script::Han ? other : one);
    return false;
}

Status check_scripts(std::u32string_view label) {
    std::optional<Script> main;
    bool ascii_letters = false;
    for (const char32_t c : label) {
        const std::optional<Script> script = script_of(c);
        if (!script)
            return failure(
                "host name",
                c < 0x80 ? fmt::format("a character that no host name has (U+{:04X})", static_cast<std::uint32_t>(c))
                         : fmt::format("U+{:04X} is not taken as a letter", static_cast<std::uint32_t>(c)),
                c < 0x80 ? "" : "write the label in its ASCII form, xn--…");
        if (*script == Script::Common) continue;
        if (c < 0x80) {
            ascii_letters = true;
            continue;
        }
        const bool joined = *script == Script::Kana || *script == Script::Hangul;
        if (main && !may_stand_together(*main, *script))
            return failure("host name", "letters of two scripts in one label",
                           "write the label in its ASCII form, xn--…");
        if (!main || (*main == Script::Han && joined)) main = script;
    }
    if (ascii_letters && main && *main != Script::Latin && !is_east_asian(*main))
        return failure("host name", "letters of two scripts in one label", "write the label in its ASCII form, xn--…");
    return {};
}

} // namespace

Result<std::string> punycode_encode(std::u32string_view input) {
    constexpr std::uint32_t base = 36, t_min = 1, t_max = 26, skew = 38, damp = 700;
    std::uint32_t n = 128, delta = 0, bias = 72;
    const auto digit = [](std::uint32_t value) {
        return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26));
    };

    std::string out;
    for (const char32_t c : input)
        if (c < 0x80) out += static_cast<char>(c);
    const auto basic = static_cast<std::uint32_t>(out.size());
    std::uint32_t handled = basic;
    if (basic > 0) out += '-';

    while (handled < input.size()) {
        char32_t next = 0x110000;
        for (const char32_t c : input)
            if (c >= n) next = std::min(next, c);
        const std::uint64_t grown = delta + std::uint64_t{next - n} * (handled + 1);
        if (grown > std::numeric_limits<std::uint32_t>::max()) return failure("host name", "too long to encode");
        delta = static_cast<std::uint32_t>(grown);
        n = next;
        for (const char32_t c : input) {
            if (c < n && ++delta == 0) return failure("host name", "too long to encode");
            if (c != n) continue;
            std::uint32_t q = delta;
            for (std::uint32_t k = base;; k += base) {
                const std::uint32_t t = k <= bias ? t_min : k >= bias + t_max ? t_max : k - bias;
                if (q < t) break;
                out += digit(t + (q - t) % (base - t));
                q = (q - t) / (base - t);
            }
            out += digit(q);
            // Bias adaptation, section 6.1.
            delta = handled == basic ? delta / damp : delta / 2;
            delta += delta / (handled + 1);
            std::uint32_t k = 0;
            for (; delta > ((base - t_min) * t_max) / 2; k += base)
                delta /= base - t_min;
            bias = k + (base - t_min + 1) * delta / (delta + skew);
            delta = 0;
            ++handled;
        }
        ++delta;
        ++n;
    }
    return out;
}

Result<std::string> label_to_ascii(std::string_view label) {
    constexpr std::size_t longest_label = 63;
    // No U-label of more than 63 code points, at 4 bytes each, fits: what is longer is not even decoded.
    if (label.size() > longest_label * 4) return failure("host name", "a label of more than 63 bytes");
    const auto ascii_lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c; };
    std::string out;
    if (std::all_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        std::transform(label.begin(), label.end(), std::back_inserter(out), ascii_lower);
    } else {
        auto code_points = decode_utf8(label);
        if (!code_points) return failure("host name", "not UTF-8");
        std::transform(code_points->begin(), code_points->end(), code_points->begin(), lower);
        if (Status scripts = check_scripts(*code_points); !scripts) return tl::unexpected(scripts.error());
        auto encoded = punycode_encode(*code_points);
        if (!encoded) return encoded;
        out = "xn--" + *encoded;
    }
    if (out.size() > longest_label) return failure("host name", "a label of more than 63 bytes");
    return out;
}

} // namespace belljar
