// A terminal without a window: what its cells show after some output. As much of xterm as programs use; what it does not
// know it leaves out. It is no library's because it reads a hostile session's bytes in the process that decides what the
// session may reach: libvterm 0.1.4 writes beyond its memory there. Every access to a cell is checked.
#pragma once

#include "helper/supervisor/sequence_reader.h"
#include "helper/supervisor/terminal_modes.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

struct Look {
    // 0: the default; 1 << 24 | index; 2 << 24 | red, green, blue.
    std::uint32_t foreground = 0, background = 0;
    std::uint8_t underline = 0; // 1 single, 2 double, 3 curly
    bool bold = false, faint = false, italic = false, blink = false, reverse = false, hidden = false, strike = false;
    bool operator==(const Look&) const = default;
};

struct Cell {
    char32_t character = 0;           // 0: nothing
    std::array<char32_t, 2> marks{};  // put onto it
    std::uint8_t width = 1;           // 0: the right half of the one before
    Look look;
};

class Emulator final : private SequenceReader::Target {
public:
    explicit Emulator(TerminalSize size);
    void write(std::string_view bytes) { reader_.read(bytes, *this); }
    void resize(TerminalSize size);

    bool in_alternate() const { return shown_ == 1; }
    // What is shown, or the main screen behind the alternate one, as bytes that draw it: every row with something on it,
    // placed by its number. Only printable characters, colours and attributes come out, whatever went in.
    std::string paint() const { return paint(screens_[shown_]); }
    std::string paint_main() const { return paint(screens_[0]); }
    std::string paint_pen() const;
    // Where the cursor is, and what is to be written there so that the next character begins a new row, as it would.
    unsigned row() const { return cursor_.row; }
    unsigned column() const;
    std::string paint_wrap() const;
    unsigned main_row() const { return shown_ == 1 ? saved_[0].row : cursor_.row; }
    unsigned main_column() const { return shown_ == 1 ? saved_[0].column : cursor_.column; }

private:
    using Cells = std::vector<Cell>;
    struct Cursor {
        unsigned row = 0, column = 0;
        bool wraps = false; // the next character begins a new row
        bool origin = false, shifted = false;
        std::array<char, 2> charsets{'B', 'B'};
        Look look;
    };

    void character(char32_t character) override;
    void control(unsigned char byte) override;
    void escape(char intermediate, char final) override;
    void sequence(const ControlSequence& sequence) override;

    void modes(const ControlSequence& sequence);
    void colours(const ControlSequence& sequence);
    void show(bool alternate, bool with_cursor, bool erased);
    void line_feed();
    void reverse_line_feed();
    void go(unsigned row, unsigned column); // from 0; counted from the region with origin mode
    void move_rows(int by);
    void scroll(unsigned first, unsigned last, int by); // > 0: up
    void shift_cells(unsigned from, int by);            // in the cursor's row; > 0: to the right
    void erase(unsigned row, unsigned first, unsigned last); // columns first to last - 1
    void erase_display(unsigned what);
    void erase_line(unsigned what);
    void tab(unsigned times, bool back);
    void reset(bool hard);
    Cell& cell(unsigned row, unsigned column) { return screens_[shown_].at(std::size_t(row) * size_.columns + column); }
    Cell blank() const;
    void part_wide(unsigned row, unsigned column);
    std::string paint(const Cells& cells) const;

    TerminalSize size_;
    SequenceReader reader_;
    std::array<Cells, 2> screens_; // main, alternate (empty until it is shown)
    std::size_t shown_ = 0;
    Cursor cursor_;
    std::array<Cursor, 2> saved_;
    unsigned top_ = 0, bottom_; // of the scroll region, both within
    bool autowrap_ = true, insert_ = false, new_line_ = false;
    char32_t last_ = ' ';
    std::vector<bool> tabs_;
};

} // namespace belljar
