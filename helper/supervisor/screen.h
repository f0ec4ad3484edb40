// What the session's terminal shows, for clients who come later: the output goes through an emulator, which knows the
// cells, and TerminalModes, which knows the rest.
//
// A flood must not wait for the emulator, nor may the loop. So output is kept as it came until somebody wants to see it,
// or too much waits; and of a stretch that acts on the cursor's row alone nothing is ever looked at but the last lines,
// which are all that is left on the screen. A session that nobody attaches to, and that writes little, has no emulator at
// all.
#pragma once

#include "helper/supervisor/emulator.h"
#include "helper/supervisor/terminal_modes.h"

#include <optional>

namespace belljar {

class Screen {
public:
    explicit Screen(TerminalSize size) : size_(size) {}

    void feed(std::string_view bytes);
    void resize(TerminalSize size);
    // More waits than should: call catch_up, a few milliseconds of work, until this is false before feeding more.
    bool is_behind() const { return waiting_.size() > kMostWaiting; }
    void catch_up();

    // Draws everything on a terminal that is in its default state and shows something else: as many rows of it as
    // `keep` says are scrolled up first, so that they are not lost.
    std::string paint(unsigned keep);
    // Puts a terminal that was painted back into its default state.
    std::string undo() const { return modes_.undo(); }

private:
    static constexpr std::size_t kMostWaiting = 256u << 10, kTurn = 32u << 10, kCompactFrom = 64u << 10;
    static constexpr std::size_t kMostCells = 256u << 10; // larger terminals are not emulated

    void compact();
    void emulate(std::size_t size);
    bool is_beyond() const { return std::size_t(size_.rows) * size_.columns > kMostCells; }

    TerminalSize size_;
    TerminalModes modes_;
    std::string waiting_;   // not seen by the emulator yet
    std::size_t local_ = 0; // where in it the row-local stretch at its end begins
    std::size_t compact_at_ = kCompactFrom;
    std::optional<Emulator> emulator_;
};

} // namespace belljar
