#include "helper/supervisor/sequence_reader.h"

#include <algorithm>
#include <utility>

namespace belljar {
namespace {

constexpr unsigned char kEscape = 0x1B, kBell = 0x07, kCancel = 0x18, kSubstitute = 0x1A;
constexpr char32_t kReplacement = 0xFFFD;

} // namespace

void SequenceReader::read(std::string_view bytes, Target& target) {
    for (const char byte : bytes)
        take(static_cast<unsigned char>(byte), target);
}

void SequenceReader::begin_escape() {
    state_ = State::Escape;
    intermediate_ = 0;
    good_ = true;
    sequence_.leader = sequence_.intermediate = 0;
    sequence_.count = 0;
}

void SequenceReader::text(unsigned char byte, Target& target) {
    if (more_ > 0 && (byte & 0xC0) == 0x80) {
        decoded_ = decoded_ << 6 | (byte & 0x3F);
        if (--more_ > 0) return;
        const bool valid = decoded_ >= least_ && decoded_ <= 0x10FFFF && !(decoded_ >= 0xD800 && decoded_ < 0xE000);
        if (valid && decoded_ >= 0x80 && decoded_ < 0xA0) return; // control characters of eight bits
        return target.character(valid ? decoded_ : kReplacement);
    }
    if (std::exchange(more_, 0) > 0) target.character(kReplacement);
    if (byte < 0x20) return target.control(byte);
    if (byte == 0x7F) return;
    if (byte < 0x80) return target.character(byte);
    if (byte < 0xC2 || byte > 0xF4) return target.character(kReplacement);
    more_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    decoded_ = byte & (0x3F >> more_);
    least_ = more_ == 1 ? 0x80 : more_ == 2 ? 0x800 : 0x10000;
}

void SequenceReader::take(unsigned char byte, Target& target) {
    if (byte == kCancel || byte == kSubstitute) {
        state_ = State::Text;
        return;
    }
    if (byte == kEscape) {
        if (std::exchange(more_, 0) > 0) target.character(kReplacement);
        if (state_ == State::String)
            state_ = State::StringEscape;
        else
            begin_escape();
        return;
    }
    switch (state_) {
    case State::Text:
        return text(byte, target);
    case State::StringEscape:
        if (byte == '\\') {
            state_ = State::Text;
            return;
        }
        begin_escape(); // it was no end but the next beginning
        [[fallthrough]];
    case State::Escape:
        if (byte < 0x20) return target.control(byte);
        if (byte < 0x30) {
            good_ = good_ && intermediate_ == 0;
            intermediate_ = static_cast<char>(byte);
            return;
        }
        state_ = State::Text;
        if (intermediate_ == 0 && byte == '[') {
            state_ = State::Sequence;
        } else if (intermediate_ == 0 && (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_')) {
            state_ = State::String;
            bell_ends_ = byte == ']';
        } else if (good_ && byte < 0x7F) {
            target.escape(intermediate_, static_cast<char>(byte));
        }
        return;
    case State::Sequence: {
        if (byte < 0x20) return target.control(byte);
        const bool digit = byte >= '0' && byte <= '9', separator = byte == ';' || byte == ':';
        if (digit || separator) {
            good_ = good_ && sequence_.intermediate == 0;
            if (sequence_.count == 0) sequence_.parameters[sequence_.count++] = {};
            ControlSequence::Parameter& last = sequence_.parameters[sequence_.count - 1];
            if (digit) {
                last.given = true;
                last.value = std::min(last.value * 10 + (byte - '0'), ControlSequence::kMostOfAParameter);
            } else if (sequence_.count == ControlSequence::kMost) {
                good_ = false;
            } else {
                last.continues = byte == ':';
                sequence_.parameters[sequence_.count++] = {};
            }
        } else if (byte < 0x30) {
            good_ = good_ && sequence_.intermediate == 0;
            sequence_.intermediate = static_cast<char>(byte);
        } else if (byte < 0x40) {
            good_ = good_ && sequence_.leader == 0 && sequence_.count == 0;
            sequence_.leader = static_cast<char>(byte);
        } else {
            state_ = State::Text;
            sequence_.final = static_cast<char>(byte);
            if (good_ && byte < 0x7F) target.sequence(sequence_);
        }
        return;
    }
    case State::String:
        if (byte == kBell && bell_ends_) state_ = State::Text;
        return;
    }
}

} // namespace belljar
