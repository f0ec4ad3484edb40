#include "helper/supervisor/emulator.h"

#include "helper/supervisor/character_width.h"

#include <algorithm>
#include <utility>

namespace belljar {
namespace {

constexpr unsigned kTabs = 8;

// DEC special graphics, from 0x60 on.
constexpr std::u32string_view kGraphics = U"◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

TerminalSize sane(TerminalSize size) {
    return {std::max(size.rows, 1u), std::max(size.columns, 1u)};
}

std::vector<bool> tabs_for(unsigned columns) {
    std::vector<bool> tabs(columns);
    for (unsigned column = kTabs; column < columns; column += kTabs)
        tabs[column] = true;
    return tabs;
}

} // namespace

Emulator::Emulator(TerminalSize size)
    : size_(sane(size)), bottom_(size_.rows - 1), tabs_(tabs_for(size_.columns)) {
    screens_[0].resize(std::size_t(size_.rows) * size_.columns);
}

// Rows that do not fit go off at the top, so that the cursor's stays; nothing is wrapped anew.
void Emulator::resize(TerminalSize wanted) {
    const TerminalSize before = std::exchange(size_, sane(wanted));
    const unsigned off = cursor_.row >= size_.rows ? cursor_.row - size_.rows + 1 : 0;
    for (Cells& cells : screens_) {
        if (cells.empty()) continue;
        Cells fitted(std::size_t(size_.rows) * size_.columns);
        for (unsigned row = 0; row < size_.rows && row + off < before.rows; ++row)
            for (unsigned column = 0; column < std::min(size_.columns, before.columns); ++column) {
                const Cell& from = cells.at(std::size_t(row + off) * before.columns + column);
                if (from.width == 2 && column + 1 >= size_.columns) continue;
                fitted.at(std::size_t(row) * size_.columns + column) = from;
            }
        cells = std::move(fitted);
    }
    for (Cursor* each : {&cursor_, &saved_[0], &saved_[1]}) {
        each->row = std::min(each->row >= off ? each->row - off : 0, size_.rows - 1);
        each->column = std::min(each->column, size_.columns - 1);
        each->wraps = each->origin = false;
    }
    top_ = 0;
    bottom_ = size_.rows - 1;
    tabs_ = tabs_for(size_.columns);
}

Cell Emulator::blank() const {
    Cell cell;
    cell.look.background = cursor_.look.background;
    return cell;
}

// Whoever writes over half of a wide character takes the other half as well.
void Emulator::part_wide(unsigned row, unsigned column) {
    if (cell(row, column).width == 0 && column > 0) cell(row, column - 1) = blank();
    if (cell(row, column).width == 2 && column + 1 < size_.columns) cell(row, column + 1) = blank();
}

void Emulator::character(char32_t character) {
    const char charset = cursor_.charsets[cursor_.shifted ? 1 : 0];
    if (charset == '0' && character >= 0x60 && character < 0x7F) character = kGraphics[character - 0x60];
    if (charset == 'A' && character == '#') character = U'£';
    unsigned width = static_cast<unsigned>(character_width(character));
    if (width == 0) {
        if (cursor_.column == 0) return;
        unsigned column = cursor_.wraps ? cursor_.column : cursor_.column - 1;
        if (cell(cursor_.row, column).width == 0 && column > 0) --column;
        Cell& under = cell(cursor_.row, column);
        if (under.character == 0) return;
        const auto room = std::ranges::find(under.marks, U'\0');
        if (room != under.marks.end()) *room = character;
        return;
    }
    width = std::min(width, size_.columns);
    const bool too_wide = cursor_.column + width > size_.columns;
    if (autowrap_ && (cursor_.wraps || too_wide)) {
        cursor_.column = 0;
        line_feed();
    } else if (too_wide) {
        cursor_.column = size_.columns - width;
    }
    cursor_.wraps = false;
    if (insert_) shift_cells(cursor_.column, static_cast<int>(width));
    for (unsigned i = 0; i < width; ++i) {
        part_wide(cursor_.row, cursor_.column + i);
        Cell& into = cell(cursor_.row, cursor_.column + i);
        into = Cell{i == 0 ? character : 0, {}, static_cast<std::uint8_t>(i == 0 ? width : 0), cursor_.look};
    }
    last_ = character;
    cursor_.column += width;
    if (cursor_.column < size_.columns) return;
    cursor_.column = size_.columns - 1;
    cursor_.wraps = autowrap_;
}

void Emulator::control(unsigned char byte) {
    switch (byte) {
    case '\b':
        if (cursor_.column > 0) --cursor_.column;
        break;
    case '\t':
        tab(1, false);
        break;
    case '\n':
    case '\v':
    case '\f':
        line_feed();
        if (!new_line_) return; // a row that is full stays so
        [[fallthrough]];
    case '\r':
        cursor_.column = 0;
        break;
    case 0x0E:
    case 0x0F:
        cursor_.shifted = byte == 0x0E;
        return;
    default:
        return;
    }
    cursor_.wraps = false;
}

void Emulator::line_feed() {
    if (cursor_.row == bottom_)
        scroll(top_, bottom_, 1);
    else if (cursor_.row + 1 < size_.rows)
        ++cursor_.row;
}

void Emulator::reverse_line_feed() {
    if (cursor_.row == top_)
        scroll(top_, bottom_, -1);
    else if (cursor_.row > 0)
        --cursor_.row;
}

void Emulator::scroll(unsigned first, unsigned last, int by) {
    const unsigned height = last - first + 1;
    const unsigned lines = std::min(height, static_cast<unsigned>(by < 0 ? -by : by));
    Cells& cells = screens_[shown_];
    const auto row = [&](unsigned number) { return cells.begin() + static_cast<std::ptrdiff_t>(number) * size_.columns; };
    if (by > 0)
        std::fill(std::move(row(first + lines), row(last + 1), row(first)), row(last + 1), blank());
    else
        std::fill(row(first), std::move_backward(row(first), row(last + 1 - lines), row(last + 1)), blank());
}

void Emulator::shift_cells(unsigned from, int by) {
    const unsigned cells = std::min(size_.columns - from, static_cast<unsigned>(by < 0 ? -by : by));
    part_wide(cursor_.row, from);
    if (by < 0 && from + cells < size_.columns) part_wide(cursor_.row, from + cells);
    const auto begin = screens_[shown_].begin() + static_cast<std::ptrdiff_t>(cursor_.row) * size_.columns;
    const auto first = begin + from, end = begin + size_.columns;
    if (by > 0)
        std::fill(first, std::move_backward(first, end - cells, end), blank());
    else
        std::fill(std::move(first + cells, end, first), end, blank());
    Cell& last = cell(cursor_.row, size_.columns - 1);
    if (last.width == 2) last = blank(); // its other half went off
}

void Emulator::erase(unsigned row, unsigned first, unsigned last) {
    if (first >= last) return;
    part_wide(row, first);
    part_wide(row, last - 1);
    for (unsigned column = first; column < last; ++column)
        cell(row, column) = blank();
}

void Emulator::erase_line(unsigned what) {
    if (what > 2) return;
    erase(cursor_.row, what == 0 ? cursor_.column : 0, what == 1 ? cursor_.column + 1 : size_.columns);
}

void Emulator::erase_display(unsigned what) {
    if (what > 2) return; // 3 is what has scrolled off, which is not kept here
    for (unsigned row = what == 0 ? cursor_.row + 1 : 0; row < (what == 1 ? cursor_.row : size_.rows); ++row)
        erase(row, 0, size_.columns);
    if (what < 2) erase_line(what);
}

void Emulator::go(unsigned row, unsigned column) {
    const unsigned first = cursor_.origin ? top_ : 0, last = cursor_.origin ? bottom_ : size_.rows - 1;
    cursor_.row = std::min(first + row, last);
    cursor_.column = std::min(column, size_.columns - 1);
    cursor_.wraps = false;
}

// Not beyond the region's end, for who is within it.
void Emulator::move_rows(int by) {
    const int row = static_cast<int>(cursor_.row);
    const int least = cursor_.row >= top_ ? static_cast<int>(top_) : 0;
    const int most = static_cast<int>(cursor_.row <= bottom_ ? bottom_ : size_.rows - 1);
    cursor_.row = static_cast<unsigned>(std::clamp(row + by, least, most));
    cursor_.wraps = false;
}

void Emulator::tab(unsigned times, bool back) {
    for (times = std::min(times, size_.columns); times > 0; --times) {
        unsigned& column = cursor_.column;
        do {
            if (back ? column == 0 : column + 1 >= size_.columns) return;
            column = back ? column - 1 : column + 1;
        } while (!tabs_[column]);
    }
}

void Emulator::show(bool alternate, bool with_cursor, bool erased) {
    const bool was = in_alternate();
    if (alternate && with_cursor && !was) saved_[0] = cursor_;
    shown_ = alternate ? 1 : 0;
    if (alternate && (screens_[1].empty() || erased)) screens_[1].assign(std::size_t(size_.rows) * size_.columns, blank());
    if (!alternate && with_cursor && was) cursor_ = saved_[0];
}

void Emulator::reset(bool hard) {
    const Cursor before = std::exchange(cursor_, Cursor());
    top_ = 0;
    bottom_ = size_.rows - 1;
    autowrap_ = true;
    insert_ = false;
    saved_[shown_] = Cursor();
    if (!hard) {
        cursor_.row = before.row;
        cursor_.column = before.column;
        return;
    }
    new_line_ = false;
    shown_ = 0;
    screens_[0].assign(screens_[0].size(), Cell());
    screens_[1].clear();
    saved_ = {};
    tabs_ = tabs_for(size_.columns);
}

} // namespace belljar
