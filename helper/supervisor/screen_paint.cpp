#include "helper/supervisor/screen_paint.h"

#include <cstdint>
#include <fmt/format.h>
#include <vterm.h>

namespace belljar {
namespace {

struct Look {
    bool bold = false, italic = false, blink = false, reverse = false, strike = false;
    unsigned underline = 0;
    VTermColor foreground{}, background{};
};

void add_colour(std::string& out, const VTermColor& colour, bool background) {
    if (background ? VTERM_COLOR_IS_DEFAULT_BG(&colour) : VTERM_COLOR_IS_DEFAULT_FG(&colour)) return;
    const unsigned base = background ? 40 : 30;
    if (VTERM_COLOR_IS_INDEXED(&colour)) {
        const unsigned index = colour.indexed.idx;
        if (index < 8)
            out += fmt::format(";{}", base + index);
        else if (index < 16)
            out += fmt::format(";{}", base + 60 + index - 8);
        else
            out += fmt::format(";{};5;{}", base + 8, index);
        return;
    }
    out += fmt::format(";{};2;{};{};{}", base + 8, unsigned(colour.rgb.red), unsigned(colour.rgb.green),
                       unsigned(colour.rgb.blue));
}

std::string sgr(const Look& look) {
    std::string out = "\x1b[0";
    if (look.bold) out += ";1";
    if (look.italic) out += ";3";
    if (look.underline == 1) out += ";4";
    if (look.underline == 2) out += ";21";
    if (look.underline == 3) out += ";4:3";
    if (look.blink) out += ";5";
    if (look.reverse) out += ";7";
    if (look.strike) out += ";9";
    add_colour(out, look.foreground, false);
    add_colour(out, look.background, true);
    return out + "m";
}

Look look_of(const VTermScreenCell& cell) {
    return {cell.attrs.bold != 0,   cell.attrs.italic != 0, cell.attrs.blink != 0, cell.attrs.reverse != 0,
            cell.attrs.strike != 0, cell.attrs.underline,   cell.fg,               cell.bg};
}

bool is_printable(std::uint32_t character) {
    return character >= 0x20 && !(character >= 0x7F && character < 0xA0) &&
           !(character >= 0xD800 && character < 0xE000) && character <= 0x10FFFF;
}

void add_utf8(std::string& out, std::uint32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
    } else if (c < 0x10000) {
        out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
                static_cast<char>(0x80 | (c & 0x3F))};
    } else {
        out += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
                static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
    }
}

void add_text(std::string& out, const VTermScreenCell& cell) {
    if (!is_printable(cell.chars[0])) {
        out += ' ';
        return;
    }
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && is_printable(cell.chars[i]); ++i)
        add_utf8(out, cell.chars[i]);
}

bool is_blank(const VTermScreenCell& cell) {
    return (cell.chars[0] == 0 || cell.chars[0] == ' ') && VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) &&
           cell.attrs.underline == 0 && cell.attrs.reverse == 0 && cell.attrs.strike == 0;
}

} // namespace

std::string paint_cells(VTermScreen* cells, int rows, int columns) {
    std::string out;
    const std::string plain = "\x1b[0m";
    std::string now = plain;
    VTermScreenCell cell{};
    for (int row = 0; row < rows; ++row) {
        int end = columns;
        while (end > 0 && vterm_screen_get_cell(cells, {row, end - 1}, &cell) != 0 && is_blank(cell))
            --end;
        if (end == 0) continue;
        out += fmt::format("\x1b[{};1H", row + 1);
        for (int column = 0; column < end;) {
            if (vterm_screen_get_cell(cells, {row, column}, &cell) == 0) break;
            std::string wanted = sgr(look_of(cell));
            if (wanted != now) out += now = std::move(wanted);
            add_text(out, cell);
            column += cell.width > 1 ? cell.width : 1;
        }
    }
    if (now != plain) out += plain;
    return out;
}

std::string paint_pen(VTermState* state) {
    Look look;
    VTermValue value;
    const auto number = [&](VTermAttr attribute) {
        return vterm_state_get_penattr(state, attribute, &value) != 0 ? value.number : 0;
    };
    look.bold = number(VTERM_ATTR_BOLD) != 0;
    look.underline = static_cast<unsigned>(number(VTERM_ATTR_UNDERLINE));
    look.italic = number(VTERM_ATTR_ITALIC) != 0;
    look.blink = number(VTERM_ATTR_BLINK) != 0;
    look.reverse = number(VTERM_ATTR_REVERSE) != 0;
    look.strike = number(VTERM_ATTR_STRIKE) != 0;
    (void)vterm_state_get_penattr(state, VTERM_ATTR_FOREGROUND, &value);
    look.foreground = value.color;
    (void)vterm_state_get_penattr(state, VTERM_ATTR_BACKGROUND, &value);
    look.background = value.color;
    return sgr(look);
}

} // namespace belljar
