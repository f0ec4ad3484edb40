// What each escape and control sequence does (ECMA-48, xterm's ctlseqs); how it is done to the cells is emulator.cpp's.
#include "helper/supervisor/emulator.h"

#include <algorithm>

namespace belljar {

void Emulator::escape(char intermediate, char final) {
    if (intermediate == '(' || intermediate == ')') {
        cursor_.charsets[intermediate == ')' ? 1 : 0] = final;
        return;
    }
    if (intermediate != 0) return;
    switch (final) {
    case '7':
        saved_[shown_] = cursor_;
        return;
    case '8':
        cursor_ = saved_[shown_];
        return;
    case 'E':
        cursor_.column = 0;
        [[fallthrough]];
    case 'D':
        cursor_.wraps = false;
        return line_feed();
    case 'H':
        tabs_[cursor_.column] = true;
        return;
    case 'M':
        cursor_.wraps = false;
        return reverse_line_feed();
    case 'c':
        return reset(true);
    default:
        return;
    }
}

void Emulator::modes(const ControlSequence& sequence) {
    const bool on = sequence.final == 'h';
    for (std::size_t i = 0; i < sequence.count; ++i) {
        const unsigned mode = sequence.number(i, 0);
        if (sequence.leader == 0) {
            if (mode == 4) insert_ = on;
            if (mode == 20) new_line_ = on;
            continue;
        }
        switch (mode) {
        case 6:
            cursor_.origin = on;
            go(0, 0);
            break;
        case 7:
            autowrap_ = on;
            cursor_.wraps = cursor_.wraps && on;
            break;
        case 47:
            show(on, false, false);
            break;
        case 1047:
            show(on, false, true);
            break;
        case 1048:
            if (on)
                saved_[shown_] = cursor_;
            else
                cursor_ = saved_[shown_];
            break;
        case 1049:
            show(on, true, true);
            break;
        default:
            break;
        }
    }
}

void Emulator::sequence(const ControlSequence& sequence) {
    const char final = sequence.final;
    if (sequence.intermediate == '!' && sequence.leader == 0 && final == 'p') return reset(false);
    if (sequence.intermediate != 0) return;
    if (final == 'h' || final == 'l')
        if (sequence.leader == 0 || sequence.leader == '?') return modes(sequence);
    if (sequence.leader == '?' && (final == 'J' || final == 'K'))
        return final == 'J' ? erase_display(sequence.number(0, 0)) : erase_line(sequence.number(0, 0));
    if (sequence.leader != 0) return;
    const unsigned count = sequence.at_least_one(0);
    const int by = static_cast<int>(count);
    const bool in_region = cursor_.row >= top_ && cursor_.row <= bottom_;
    switch (final) {
    case '@':
        cursor_.wraps = false;
        return shift_cells(cursor_.column, by);
    case 'P':
        cursor_.wraps = false;
        return shift_cells(cursor_.column, -by);
    case 'A':
        return move_rows(-by);
    case 'B':
    case 'e':
        return move_rows(by);
    case 'C':
    case 'a':
        cursor_.column = std::min(cursor_.column + count, size_.columns - 1);
        break;
    case 'D':
        cursor_.column -= std::min(cursor_.column, count);
        break;
    case 'E':
    case 'F':
        cursor_.column = 0;
        return move_rows(final == 'E' ? by : -by);
    case 'G':
    case '`':
        cursor_.column = std::min(count - 1, size_.columns - 1);
        break;
    case 'H':
    case 'f':
        return go(count - 1, sequence.at_least_one(1) - 1);
    case 'd':
        return go(count - 1, cursor_.column);
    case 'I':
        tab(count, false);
        break;
    case 'Z':
        tab(count, true);
        break;
    case 'J':
        return erase_display(sequence.number(0, 0));
    case 'K':
        return erase_line(sequence.number(0, 0));
    case 'X':
        return erase(cursor_.row, cursor_.column, std::min(cursor_.column + count, size_.columns));
    case 'L':
        if (in_region) scroll(cursor_.row, bottom_, -by);
        break;
    case 'M':
        if (in_region) scroll(cursor_.row, bottom_, by);
        break;
    case 'S':
        return scroll(top_, bottom_, by);
    case 'T':
        return scroll(top_, bottom_, -by);
    case 'b':
        for (unsigned i = 0; i < std::min(count, size_.rows * size_.columns); ++i)
            character(last_);
        return;
    case 'g':
        if (sequence.number(0, 0) == 3)
            tabs_.assign(tabs_.size(), false);
        else
            tabs_[cursor_.column] = false;
        return;
    case 'm':
        return colours(sequence);
    case 'r': {
        const unsigned last = std::min(sequence.number(1, 0) == 0 ? size_.rows : sequence.number(1, 0), size_.rows);
        if (count >= last) return;
        top_ = count - 1;
        bottom_ = last - 1;
        return go(0, 0);
    }
    case 's':
        saved_[shown_] = cursor_;
        return;
    case 'u':
        cursor_ = saved_[shown_];
        return;
    default:
        return;
    }
    cursor_.wraps = false;
}

} // namespace belljar
