// Cuts a terminal's output into what it is made of: characters, controls, escape and control sequences. Strings (titles,
// the clipboard, …) are passed over. Hostile bytes: nothing grows, numbers are capped, what is not well formed is left
// out, and characters that are no UTF-8 become U+FFFD. Rests on ECMA-48 and on xterm's ctlseqs.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace belljar {

struct ControlSequence {
    static constexpr std::size_t kMost = 32;
    static constexpr unsigned kMostOfAParameter = 9999;
    struct Parameter {
        unsigned value = 0;
        bool given = false, continues = false; // continues: a ':' joins it to the next
    };
    char leader = 0, intermediate = 0, final = 0;
    std::array<Parameter, kMost> parameters{};
    std::size_t count = 0;

    unsigned number(std::size_t index, unsigned otherwise) const {
        return index < count && parameters[index].given ? parameters[index].value : otherwise;
    }
    // For counts and places, where 0 means 1.
    unsigned at_least_one(std::size_t index) const {
        const unsigned value = number(index, 1);
        return value == 0 ? 1 : value;
    }
};

class SequenceReader {
public:
    class Target {
    public:
        virtual void character(char32_t character) = 0;
        virtual void control(unsigned char byte) = 0;
        virtual void escape(char intermediate, char final) = 0;
        virtual void sequence(const ControlSequence& sequence) = 0;

    protected:
        ~Target() = default;
    };
    void read(std::string_view bytes, Target& target);

private:
    enum class State { Text, Escape, Sequence, String, StringEscape };
    void take(unsigned char byte, Target& target);
    void text(unsigned char byte, Target& target);
    void begin_escape();

    State state_ = State::Text;
    bool good_ = true, bell_ends_ = false;
    char intermediate_ = 0;
    ControlSequence sequence_;
    char32_t decoded_ = 0, least_ = 0; // of UTF-8
    int more_ = 0;
};

} // namespace belljar
