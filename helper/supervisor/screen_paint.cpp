// How an emulator's cells are written down, and how its colours are read (SGR, ECMA-48 8.3.117; 38 and 48 of ISO 8613-6).
#include "helper/supervisor/emulator.h"

#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::uint32_t kIndexed = 1u << 24, kDirect = 2u << 24;

void add_colour(std::string& out, std::uint32_t colour, unsigned base) {
    const std::uint32_t value = colour & 0xFFFFFF;
    if (colour == 0) return;
    if ((colour & kDirect) != 0)
        out += fmt::format(";{};2;{};{};{}", base + 8, value >> 16, value >> 8 & 0xFF, value & 0xFF);
    else if (value < 8)
        out += fmt::format(";{}", base + value);
    else if (value < 16)
        out += fmt::format(";{}", base + 60 + value - 8);
    else
        out += fmt::format(";{};5;{}", base + 8, value);
}

std::string sgr(const Look& look) {
    std::string out = "\x1b[0";
    const std::pair<bool, const char*> attributes[] = {{look.bold, ";1"},   {look.faint, ";2"},   {look.italic, ";3"},
                                                       {look.blink, ";5"},  {look.reverse, ";7"}, {look.hidden, ";8"},
                                                       {look.strike, ";9"}, {look.underline == 1, ";4"},
                                                       {look.underline == 2, ";21"}, {look.underline == 3, ";4:3"}};
    for (const auto& [on, code] : attributes)
        if (on) out += code;
    add_colour(out, look.foreground, 30);
    add_colour(out, look.background, 40);
    return out + "m";
}

void add_utf8(std::string& out, char32_t c) {
    const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xC0 | c >> 6);
        byte(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        byte(0xE0 | c >> 12);
        byte(0x80 | (c >> 6 & 0x3F));
        byte(0x80 | (c & 0x3F));
    } else {
        byte(0xF0 | c >> 18);
        byte(0x80 | (c >> 12 & 0x3F));
        byte(0x80 | (c >> 6 & 0x3F));
        byte(0x80 | (c & 0x3F));
    }
}

void add_cell(std::string& out, const Cell& cell) {
    add_utf8(out, cell.character != 0 ? cell.character : U' ');
    for (const char32_t mark : cell.marks)
        if (mark != 0) add_utf8(out, mark);
}

bool is_blank(const Cell& cell) {
    const Look& look = cell.look;
    return cell.width == 1 && (cell.character == 0 || cell.character == ' ') && cell.marks[0] == 0 &&
           look.background == 0 && look.underline == 0 && !look.reverse && !look.strike;
}

// One colour behind 38 or 48; returns the parameter that it ends with.
std::size_t read_colour(const ControlSequence& sequence, std::size_t at, std::uint32_t& into) {
    const bool joined = sequence.parameters[at].continues;
    const unsigned kind = sequence.number(at + 1, 0);
    std::size_t end = at;
    while (end + 1 < sequence.count && sequence.parameters[end].continues)
        ++end;
    if (kind == 5) {
        if (at + 2 < sequence.count) into = kIndexed | (sequence.number(at + 2, 0) & 0xFF);
        return joined ? end : at + 2;
    }
    if (kind != 2) return joined ? end : at + 1;
    const std::size_t first = joined && end >= at + 5 ? at + 3 : at + 2; // with a colour space or without
    if (first + 2 < sequence.count)
        into = kDirect | (sequence.number(first, 0) & 0xFF) << 16 | (sequence.number(first + 1, 0) & 0xFF) << 8 |
               (sequence.number(first + 2, 0) & 0xFF);
    return joined ? end : at + 4;
}

} // namespace

void Emulator::colours(const ControlSequence& sequence) {
    Look& look = cursor_.look;
    if (sequence.count == 0) look = Look();
    for (std::size_t i = 0; i < sequence.count; ++i) {
        const unsigned code = sequence.number(i, 0);
        const bool joined = sequence.parameters[i].continues;
        if (code == 38 || code == 48) {
            i = read_colour(sequence, i, code == 38 ? look.foreground : look.background);
            continue;
        }
        if (code == 4) look.underline = joined ? static_cast<std::uint8_t>(std::min(sequence.number(i + 1, 1), 3u)) : 1;
        if (code == 0) look = Look();
        if (code == 1) look.bold = true;
        if (code == 2) look.faint = true;
        if (code == 3 || code == 23) look.italic = code == 3;
        if (code == 5 || code == 25) look.blink = code == 5;
        if (code == 7 || code == 27) look.reverse = code == 7;
        if (code == 8 || code == 28) look.hidden = code == 8;
        if (code == 9 || code == 29) look.strike = code == 9;
        if (code == 21) look.underline = 2;
        if (code == 22) look.bold = look.faint = false;
        if (code == 24) look.underline = 0;
        if (code >= 30 && code < 38) look.foreground = kIndexed | (code - 30);
        if (code >= 90 && code < 98) look.foreground = kIndexed | (code - 82);
        if (code >= 40 && code < 48) look.background = kIndexed | (code - 40);
        if (code >= 100 && code < 108) look.background = kIndexed | (code - 92);
        if (code == 39) look.foreground = 0;
        if (code == 49) look.background = 0;
        while (i + 1 < sequence.count && sequence.parameters[i].continues)
            ++i;
    }
}

std::string Emulator::paint_pen() const {
    return sgr(cursor_.look);
}

unsigned Emulator::column() const {
    const bool half = cursor_.wraps && cursor_.column > 0 &&
                      screens_[shown_].at(std::size_t(cursor_.row) * size_.columns + cursor_.column).width == 0;
    return half ? cursor_.column - 1 : cursor_.column;
}

std::string Emulator::paint_wrap() const {
    if (!cursor_.wraps || insert_) return {};
    const Cell& last = screens_[shown_].at(std::size_t(cursor_.row) * size_.columns + column());
    std::string out = sgr(last.look);
    add_cell(out, last);
    return out;
}

std::string Emulator::paint(const Cells& cells) const {
    std::string out;
    Look now;
    for (unsigned row = 0; row < size_.rows; ++row) {
        const auto at = [&](unsigned column) -> const Cell& { return cells.at(std::size_t(row) * size_.columns + column); };
        unsigned end = size_.columns;
        while (end > 0 && is_blank(at(end - 1)))
            --end;
        if (end == 0) continue;
        out += fmt::format("\x1b[{};1H", row + 1);
        for (unsigned column = 0; column < end; ++column) {
            const Cell& cell = at(column);
            if (cell.width == 0) continue;
            if (cell.look != now) out += sgr(now = cell.look);
            add_cell(out, cell);
        }
    }
    if (now != Look()) out += "\x1b[0m";
    return out;
}

} // namespace belljar
