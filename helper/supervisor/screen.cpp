#include "helper/supervisor/screen.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::size_t kLongestPen = 4096;
constexpr unsigned kMostKept = 1000; // rows

// What the colours were set to in `bytes`, a row-local stretch: its SGR sequences since the last that reset them all.
std::string colours_set_in(std::string_view bytes) {
    std::string pen;
    for (std::size_t at = bytes.find('\x1b'); at != bytes.npos; at = bytes.find('\x1b', at + 1)) {
        if (at + 1 >= bytes.size() || bytes[at + 1] != '[') continue;
        const std::size_t end = bytes.find_first_not_of("0123456789;:", at + 2);
        if (end == bytes.npos || bytes[end] != 'm') continue;
        const std::string_view parameters = bytes.substr(at + 2, end - at - 2);
        if (parameters.empty() || parameters == "0" || parameters.starts_with("0;")) pen.clear();
        if (pen.size() <= kLongestPen) pen += bytes.substr(at, end + 1 - at);
    }
    return pen;
}

// Where the last `lines` lines of `bytes` begin; npos when it has fewer. Each begins with the cursor in the first
// column.
std::size_t last_lines(std::string_view bytes, std::size_t lines) {
    std::size_t at = bytes.size();
    for (std::size_t found = 0; found < lines;) {
        at = at == 0 ? bytes.npos : bytes.rfind('\n', at - 1);
        if (at == bytes.npos) return at;
        ++found;
    }
    while (at != bytes.npos && (at == 0 || bytes[at - 1] != '\r'))
        at = at == 0 ? bytes.npos : bytes.rfind('\n', at - 1);
    return at == bytes.npos ? at : at + 1;
}

// The same for one endless line of ASCII that wraps: its last `rows` rows, from the row's first column on.
std::size_t last_rows(std::string_view bytes, std::size_t rows, std::size_t columns) {
    const std::size_t start = bytes.rfind('\r');
    if (start == bytes.npos) return start;
    std::string_view line = bytes.substr(start + 1);
    if (line.starts_with('\n')) line.remove_prefix(1);
    const bool ascii = std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7F; });
    if (!ascii || line.size() / columns <= rows) return bytes.npos;
    return bytes.size() - line.size() + (line.size() / columns - rows) * columns;
}

} // namespace

void Screen::feed(std::string_view bytes) {
    const std::size_t local = modes_.feed(bytes);
    if (is_beyond()) return;
    if (local > 0) {
        local_ = waiting_.size() + local;
        compact_at_ = kCompactFrom;
    }
    waiting_ += bytes;
    if (waiting_.size() - local_ > compact_at_) compact();
}

// After as many line ends as the screen has rows the cursor is in the last one, after as many again everything else has
// scrolled out.
void Screen::compact() {
    if (!modes_.scrolls_whole()) return;
    const std::string_view stretch = std::string_view(waiting_).substr(local_);
    std::size_t from = last_lines(stretch, 2 * size_.rows);
    if (from == stretch.npos && modes_.wraps()) from = last_rows(stretch, 2 * size_.rows, size_.columns);
    if (from != stretch.npos && from >= stretch.size() / 2) {
        const std::string pen = colours_set_in(stretch.substr(0, from));
        if (pen.size() <= kLongestPen) waiting_.replace(local_, from, pen + "\r\n");
    }
    compact_at_ = std::max(kCompactFrom, 2 * (waiting_.size() - local_));
}

void Screen::catch_up() {
    emulate(std::min(kTurn, waiting_.size()));
}

void Screen::emulate(std::size_t size) {
    if (size == 0 || is_beyond()) return;
    if (!emulator_) emulator_.emplace(size_);
    emulator_->write(std::string_view(waiting_).substr(0, size));
    waiting_.erase(0, size);
    local_ -= std::min(local_, size);
}

void Screen::resize(TerminalSize size) {
    if (size == size_) return;
    emulate(waiting_.size());
    const bool was_beyond = is_beyond();
    size_ = size;
    modes_.forget_margins();
    if (is_beyond() || was_beyond) {
        emulator_.reset();
        waiting_.clear();
        local_ = 0;
    }
    if (emulator_) emulator_->resize(size);
}

std::string Screen::paint(unsigned keep) {
    emulate(waiting_.size());
    // CAN ends whatever sequence the terminal may be in the midst of.
    std::string out = "\x18\x1b[?7l\x1b[m";
    if (keep > 0) out += fmt::format("\x1b[{};1H", keep) + std::string(std::min(keep, kMostKept), '\n');
    out += "\x1b[H\x1b[2J";
    if (emulator_ && modes_.alternate())
        out += emulator_->paint_main() +
               fmt::format("\x1b[{};{}H", emulator_->main_row() + 1, emulator_->main_column() + 1);
    out += modes_.enter_alternate();
    if (modes_.alternate()) out += "\x1b[H\x1b[2J";
    if (emulator_) out += emulator_->paint();
    out += "\x1b[?7h" + (emulator_ ? modes_.restore(emulator_->row(), emulator_->column()) : modes_.restore(0, 0));
    if (emulator_) out += emulator_->paint_wrap() + emulator_->paint_pen();
    return out;
}

} // namespace belljar
