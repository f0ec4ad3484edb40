#include "helper/supervisor/terminal_modes.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace belljar {
namespace {

constexpr unsigned char kBell = 0x07, kEscape = 0x1B, kCancel = 0x18, kSubstitute = 0x1A;
constexpr unsigned kMostOfAParameter = 65535;

// Text and the controls that stay in the row, or end it.
constexpr std::array<bool, 256> plain_bytes() {
    std::array<bool, 256> plain{};
    for (std::size_t byte = 0x20; byte < 256; ++byte)
        plain[byte] = byte != 0x7F;
    for (const std::size_t byte : {'\a', '\b', '\t', '\n', '\r'})
        plain[byte] = true;
    return plain;
}
constexpr auto kPlain = plain_bytes();

} // namespace

std::size_t TerminalModes::feed(std::string_view bytes) {
    std::size_t local_from = 0, at = 0;
    while (at < bytes.size()) {
        if (state_ == State::Ground)
            while (at < bytes.size() && kPlain[static_cast<unsigned char>(bytes[at])])
                ++at;
        if (at == bytes.size()) break;
        if (!take(static_cast<unsigned char>(bytes[at++]))) local_from = at;
    }
    return local_from;
}

bool TerminalModes::take(unsigned char byte) {
    if (byte == kEscape && state_ != State::String) {
        begin_escape();
        return true;
    }
    if (byte == kCancel || byte == kSubstitute) {
        const bool local = state_ == State::Ground;
        state_ = State::Ground;
        return local;
    }
    switch (state_) {
    case State::Ground:
        return control(byte);
    case State::Escape:
        if (byte == '[') {
            state_ = State::Sequence;
            return true;
        }
        if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_') {
            state_ = State::String;
            osc_ = byte == ']';
            return true;
        }
        [[fallthrough]];
    case State::EscapeIntermediate:
        if (byte < 0x20) return control(byte);
        if (byte < 0x30) {
            if (intermediate_ != 0) rough_ = true;
            intermediate_ = static_cast<char>(byte);
            state_ = State::EscapeIntermediate;
            return true;
        }
        state_ = State::Ground;
        return escape(byte);
    case State::Sequence:
        if (byte < 0x20) {
            rough_ = true;
            return control(byte);
        }
        if (byte >= '0' && byte <= '9') {
            if (!has_parameter_) {
                if (parameters_.size() < kMaxParameters) parameters_.push_back(0); else too_many_ = true;
                has_parameter_ = true;
            }
            if (!parameters_.empty() && !too_many_)
                parameters_.back() = std::min(parameters_.back() * 10 + (byte - '0'), kMostOfAParameter);
            return true;
        }
        if (byte == ';' || byte == ':') {
            if (!has_parameter_) {
                if (parameters_.size() < kMaxParameters) parameters_.push_back(0); else too_many_ = true;
            }
            has_parameter_ = false;
            return true;
        }
        if (byte >= '<' && byte <= '?') {
            leader_ = static_cast<char>(byte);
            return true;
        }
        if (byte < 0x30) {
            intermediate_ = static_cast<char>(byte);
            return true;
        }
        state_ = State::Ground;
        return byte < 0x7F ? sequence(byte) && !rough_ : false;
    case State::String:
        if (byte == '\n') rough_ = true;
        if (byte == kEscape) state_ = State::StringEscape;
        if (byte == kBell && osc_) {
            state_ = State::Ground;
            return !rough_;
        }
        return true;
    case State::StringEscape:
        if (byte == '\\') {
            state_ = State::Ground;
            return !rough_;
        }
        begin_escape(); // it was no end but the next beginning
        return take(byte) && false;
    }
    return false;
}

void TerminalModes::begin_escape() {
    state_ = State::Escape;
    leader_ = intermediate_ = 0;
    parameters_.clear();
    has_parameter_ = too_many_ = rough_ = false;
}

bool TerminalModes::control(unsigned char byte) {
    if (byte == 0x0E || byte == 0x0F) {
        const bool before = std::exchange(shifted_, byte == 0x0E);
        return before == shifted_;
    }
    return kPlain[byte] || byte == 0 || byte == 0x7F;
}

bool TerminalModes::designate(char set, char charset) {
    char& now = charsets_[set == ')' ? 1 : 0];
    return std::exchange(now, charset) == charset;
}

bool TerminalModes::escape(unsigned char final) {
    if (rough_ || final >= 0x7F) return false;
    if (intermediate_ == '(' || intermediate_ == ')') return designate(intermediate_, static_cast<char>(final));
    if (intermediate_ != 0) return false;
    switch (final) {
    case '=':
    case '>':
        keypad_ = final == '=';
        return true;
    case '\\':
        return true;
    case 'c':
        reset(true);
        return false;
    default:
        return false;
    }
}

unsigned TerminalModes::parameter(std::size_t index, unsigned otherwise) const {
    return index < parameters_.size() && parameters_[index] != 0 ? parameters_[index] : otherwise;
}

bool TerminalModes::set_private(bool on) {
    bool local = true;
    for (const unsigned number : parameters_) {
        if (number == 47 || number == 1047 || number == 1049) {
            alternate_ = on ? static_cast<int>(number) : 0;
            local = false;
        }
        for (std::size_t mode = 0; mode < kPrivateModes; ++mode)
            if (kNumbers[mode] == static_cast<int>(number)) private_[mode] = on;
        // These change where text goes; the other ones what keys and mice send.
        if (number == 3 || number == 5 || number == 6 || number == 7 || number == 69 || number == 1048) local = false;
    }
    return local;
}

// kitty's progressive enhancement: CSI > flags u, CSI < count u, CSI = flags ; how u.
void TerminalModes::keyboard() {
    auto& stack = keyboards_[alternate_ != 0 ? 1 : 0];
    if (leader_ == '>') {
        if (stack.size() == kMaxKeyboards) stack.erase(stack.begin());
        stack.push_back(parameter(0, 0) & 31u);
    } else if (leader_ == '<') {
        stack.resize(stack.size() - std::min<std::size_t>(stack.size(), parameter(0, 1)));
    } else if (leader_ == '=') {
        if (stack.empty()) stack.push_back(0);
        const unsigned flags = parameter(0, 0) & 31u, how = parameter(1, 1);
        stack.back() = how == 2 ? stack.back() | flags : how == 3 ? stack.back() & ~flags : flags;
    }
}

bool TerminalModes::sequence(unsigned char final) {
    if (leader_ == '?') {
        if (intermediate_ != 0 || (final != 'h' && final != 'l')) return false;
        return set_private(final == 'h');
    }
    if (leader_ != 0) {
        if (final == 'u') keyboard();
        if (final == 'm' && leader_ == '>' && parameter(0, 0) == 4) other_keys_ = parameter(1, 0);
        return true; // reports and settings of the keyboard
    }
    if (intermediate_ == ' ' && final == 'q') {
        cursor_style_ = std::min(parameter(0, 0), 6u);
        return true;
    }
    if (intermediate_ == '!' && final == 'p') {
        reset(false);
        return false;
    }
    if (intermediate_ != 0) return false;
    switch (final) {
    case 'm':
        pen_ = !parameters_.empty() && !(parameters_.size() == 1 && parameters_[0] == 0);
        return true;
    case 'K': // erase in line, and moves within it
    case 'G':
    case 'C':
    case 'D':
    case 'X':
    case '@':
    case 'P':
    case 'n': // questions
    case 'c':
    case 't':
        return true;
    case 'h':
    case 'l':
        for (const unsigned number : parameters_) {
            if (number == 4) insert_ = final == 'h';
            if (number == 20) new_line_ = final == 'h';
        }
        return false;
    case 'r':
        top_ = parameter(0, 1);
        bottom_ = parameter(1, 0);
        if (top_ == 1 && bottom_ == 0) top_ = 0;
        return false;
    default:
        return false;
    }
}

void TerminalModes::forget_margins() {
    top_ = bottom_ = 0;
    private_[kOrigin] = private_[kMargins] = false;
}

void TerminalModes::reset(bool hard) {
    const auto now = private_;
    private_ = defaults();
    top_ = bottom_ = 0;
    keypad_ = insert_ = shifted_ = pen_ = false;
    charsets_ = {'B', 'B'};
    if (hard) {
        alternate_ = 0;
        new_line_ = false;
        cursor_style_ = other_keys_ = 0;
        for (auto& stack : keyboards_)
            stack.clear();
        return;
    }
    for (std::size_t mode = 0; mode < kPrivateModes; ++mode) // DECSTR leaves what DEC did not know
        if (kNumbers[mode] >= 1000 || kNumbers[mode] == 9) private_[mode] = now[mode];
}

std::string TerminalModes::enter_alternate() const {
    std::string out;
    for (const unsigned flags : keyboards_[0])
        out += fmt::format("\x1b[>{}u", flags);
    if (alternate_ == 0) return out;
    out += fmt::format("\x1b[?{}h", alternate_);
    for (const unsigned flags : keyboards_[1])
        out += fmt::format("\x1b[>{}u", flags);
    return out;
}

std::string TerminalModes::restore(unsigned row, unsigned column) const {
    std::string out;
    const auto is_default = defaults();
    if (top_ != 0) out += bottom_ != 0 ? fmt::format("\x1b[{};{}r", top_, bottom_) : fmt::format("\x1b[{}r", top_);
    if (private_[kOrigin]) out += "\x1b[?6h"; // homes the cursor, and counts from the region's first row on
    const unsigned first = private_[kOrigin] && top_ != 0 ? top_ - 1 : 0;
    out += fmt::format("\x1b[{};{}H", (row >= first ? row - first : 0) + 1, column + 1);
    if (charsets_[0] != 'B') out += fmt::format("\x1b({}", charsets_[0]);
    if (charsets_[1] != 'B') out += fmt::format("\x1b){}", charsets_[1]);
    if (shifted_) out += '\x0e';
    for (std::size_t mode = 0; mode < kPrivateModes; ++mode)
        if (mode != kOrigin && mode != kSynchronized && private_[mode] != is_default[mode])
            out += fmt::format("\x1b[?{}{}", kNumbers[mode], private_[mode] ? 'h' : 'l');
    if (insert_) out += "\x1b[4h";
    if (new_line_) out += "\x1b[20h";
    if (keypad_) out += "\x1b=";
    if (cursor_style_ != 0) out += fmt::format("\x1b[{} q", cursor_style_);
    if (other_keys_ != 0) out += fmt::format("\x1b[>4;{}m", other_keys_);
    return out;
}

std::string TerminalModes::undo() const {
    std::string out;
    const auto is_default = defaults();
    for (std::size_t mode = 0; mode < kPrivateModes; ++mode)
        if (mode != kOrigin && private_[mode] != is_default[mode])
            out += fmt::format("\x1b[?{}{}", kNumbers[mode], private_[mode] ? 'l' : 'h');
    if (top_ != 0 || private_[kOrigin]) out += "\x1b" "7\x1b[?6l\x1b[r\x1b" "8\x1b[?6l"; // both move the cursor
    if (insert_) out += "\x1b[4l";
    if (new_line_) out += "\x1b[20l";
    if (keypad_) out += "\x1b>";
    if (cursor_style_ != 0) out += "\x1b[0 q";
    if (other_keys_ != 0) out += "\x1b[>4m";
    if (charsets_[0] != 'B') out += "\x1b(B";
    if (charsets_[1] != 'B') out += "\x1b)B";
    if (shifted_) out += '\x0f';
    if (pen_) out += "\x1b[m";
    if (alternate_ != 0) {
        if (!keyboards_[1].empty()) out += fmt::format("\x1b[<{}u", keyboards_[1].size());
        out += fmt::format("\x1b[?{}l", alternate_);
    }
    if (!keyboards_[0].empty()) out += fmt::format("\x1b[<{}u", keyboards_[0].size());
    // What was begun and not ended would swallow all of this.
    if (!out.empty() && state_ != State::Ground) out.insert(0, "\x18");
    return out;
}

} // namespace belljar
