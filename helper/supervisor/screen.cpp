#include "helper/supervisor/screen.h"

#include "helper/supervisor/screen_paint.h"

#include <algorithm>
#include <fmt/format.h>
#include <vterm.h>

namespace belljar {
namespace {

constexpr std::size_t kLongestPen = 4096;
constexpr unsigned kMostKept = 1000; // rows
constexpr std::string_view kEnterAlternate = "\x1b[?1049h";

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

void Screen::Free::operator()(VTerm* emulator) const {
    vterm_free(emulator);
}

void Screen::feed(std::string_view bytes) {
    const std::size_t local = modes_.feed(bytes);
    if (is_too_large()) return;
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

// The main screen is painted before the alternate one covers it: libvterm shows one at a time.
void Screen::emulate(std::size_t size) {
    if (size == 0 || is_too_large()) return;
    // Not in the midst of what is looked for below.
    if (const std::size_t escape = waiting_.rfind('\x1b', size - 1);
        size < waiting_.size() && escape != waiting_.npos && escape > 0 && size - escape < kEnterAlternate.size())
        size = escape;
    std::string_view bytes = std::string_view(waiting_).substr(0, size);
    for (std::size_t at; (at = bytes.find(kEnterAlternate)) != bytes.npos;) {
        write(bytes.substr(0, at));
        if (!in_alternate_) main_ = paint_cells(cells_, int(size_.rows), int(size_.columns));
        if (!in_alternate_) {
            VTermPos cursor{};
            vterm_state_get_cursorpos(state_, &cursor);
            main_ += fmt::format("\x1b[{};{}H", cursor.row + 1, cursor.col + 1);
        }
        write(bytes.substr(at, kEnterAlternate.size()));
        bytes.remove_prefix(at + kEnterAlternate.size());
    }
    write(bytes);
    waiting_.erase(0, size);
    local_ -= std::min(local_, size);
}

void Screen::write(std::string_view bytes) {
    if (!emulator_) {
        emulator_.reset(vterm_new(int(size_.rows), int(size_.columns)));
        vterm_set_utf8(emulator_.get(), 1);
        // What it would answer to questions is the user's terminal's to answer.
        vterm_output_set_callback(emulator_.get(), [](const char*, std::size_t, void*) {}, nullptr);
        state_ = vterm_obtain_state(emulator_.get());
        cells_ = vterm_obtain_screen(emulator_.get());
        static constexpr VTermScreenCallbacks kWatch{
            .settermprop = [](VTermProp what, VTermValue* value, void* screen) {
                if (what == VTERM_PROP_ALTSCREEN) static_cast<Screen*>(screen)->in_alternate_ = value->boolean != 0;
                return 1;
            }};
        vterm_screen_set_callbacks(cells_, &kWatch, this);
        vterm_screen_enable_altscreen(cells_, 1);
        vterm_screen_set_damage_merge(cells_, VTERM_DAMAGE_SCROLL);
        vterm_screen_reset(cells_, 1);
    }
    vterm_input_write(emulator_.get(), bytes.data(), bytes.size());
}

void Screen::resize(TerminalSize size) {
    if (size == size_) return;
    emulate(waiting_.size());
    const bool was_too_large = is_too_large();
    size_ = size;
    if (is_too_large() || was_too_large) {
        emulator_.reset();
        waiting_.clear();
        local_ = 0;
        main_.clear();
        in_alternate_ = false;
    }
    if (emulator_) vterm_set_size(emulator_.get(), int(size.rows), int(size.columns));
}

std::string Screen::paint(unsigned keep) {
    while (!waiting_.empty())
        emulate(waiting_.size());
    // CAN ends whatever sequence the terminal may be in the midst of.
    std::string out = "\x18\x1b[?7l\x1b[m";
    if (keep > 0) out += fmt::format("\x1b[{};1H", keep) + std::string(std::min(keep, kMostKept), '\n');
    out += "\x1b[H\x1b[2J";
    if (modes_.alternate()) out += main_;
    out += modes_.enter_alternate();
    if (modes_.alternate()) out += "\x1b[H\x1b[2J";
    VTermPos cursor{};
    if (emulator_) {
        out += paint_cells(cells_, int(size_.rows), int(size_.columns));
        vterm_state_get_cursorpos(state_, &cursor);
    }
    out += "\x1b[?7h" + modes_.restore(unsigned(cursor.row), unsigned(cursor.col));
    if (emulator_) out += paint_pen(state_);
    return out;
}

} // namespace belljar
