// Reads a terminal's output for what it switches on, so that a client who comes later can be given the same modes, and
// one who leaves gets its terminal back without them. Also tells where the last stretch begins whose every sequence
// acts on the cursor's own row only (text, line ends, colours): of such a stretch only the last lines are ever seen.
// Hostile bytes: no more than a fixed amount is kept. Rests on ECMA-48, and xterm's ctlseqs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

struct TerminalSize {
    unsigned rows = 24, columns = 80;
    bool operator==(const TerminalSize&) const = default;
};

class TerminalModes {
public:
    // Returns where in `bytes` the last row-local stretch begins: 0 when all of it is row-local, size when the last
    // byte completed something that is not.
    std::size_t feed(std::string_view bytes);

    void forget_margins(); // as a terminal does that gets another size

    bool alternate() const { return alternate_ != 0; } // the alternate screen is shown
    bool wraps() const { return private_[kAutowrap]; } // at the right margin
    bool scrolls_whole() const { return top_ == 0 && !private_[kOrigin] && !private_[kMargins] && !insert_; }

    // What brings a terminal in its default state to the alternate screen (empty: it is not shown).
    std::string enter_alternate() const;
    // The rest; to be sent when the screen is painted. The cursor goes to `row`, `column` (from 0).
    std::string restore(unsigned row, unsigned column) const;
    // What takes everything back, the alternate screen included; empty when nothing is switched on.
    std::string undo() const;

private:
    enum class State { Ground, Escape, EscapeIntermediate, Sequence, String, StringEscape };
    enum Private : std::size_t {
        kCursorKeys, kReverseVideo, kOrigin, kAutowrap, kX10Mouse, kCursorVisible, kMargins, kMouseClick, kMouseHighlight,
        kMouseDrag, kMouseMove, kFocus, kMouseUtf8, kMouseSgr, kMouseUrxvt, kMousePixels, kPaste, kSynchronized, kColours,
        kSizes, kPrivateModes
    };
    static constexpr std::array<int, kPrivateModes> kNumbers{1,    5,    6,    7,    9,    25,   69,   1000, 1001, 1002,
                                                             1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2031, 2048};
    static constexpr std::size_t kMaxParameters = 32, kMaxKeyboards = 8;

    // Each returns whether what was completed acts on the cursor's row alone.
    bool take(unsigned char byte);
    bool control(unsigned char byte);
    bool escape(unsigned char final);
    bool sequence(unsigned char final);
    bool set_private(bool on);
    void keyboard();
    void begin_escape();
    void reset(bool hard);
    bool designate(char set, char charset);
    unsigned parameter(std::size_t index, unsigned otherwise) const;

    State state_ = State::Ground;
    bool osc_ = false, rough_ = false; // rough: this sequence held what does not belong into one
    char leader_ = 0, intermediate_ = 0;
    std::vector<unsigned> parameters_;
    bool has_parameter_ = false, too_many_ = false;

    std::array<bool, kPrivateModes> private_ = defaults();
    int alternate_ = 0; // 47, 1047 or 1049: how it was entered
    unsigned top_ = 0, bottom_ = 0; // of the scroll region, from 1; 0: whole
    bool keypad_ = false, insert_ = false, new_line_ = false, shifted_ = false, pen_ = false;
    unsigned cursor_style_ = 0;
    std::array<char, 2> charsets_{'B', 'B'};
    std::array<std::vector<unsigned>, 2> keyboards_; // kitty's stack of flags: main screen, alternate screen
    unsigned other_keys_ = 0;                        // xterm's modifyOtherKeys

    static constexpr std::array<bool, kPrivateModes> defaults() {
        std::array<bool, kPrivateModes> modes{};
        modes[kAutowrap] = modes[kCursorVisible] = true;
        return modes;
    }
};

} // namespace belljar
