#include "fuzz.h"
#include "helper/supervisor/screen.h"

using namespace belljar;

// Whatever a session writes: read in one piece or in many its modes are the same, and what is drawn says nothing but text, colours
// and modes.
int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view output = fuzz::text_of(bytes, size);
    TerminalModes at_once, bytewise;
    at_once.feed(output);
    for (std::size_t i = 0; i < output.size(); ++i)
        bytewise.feed(output.substr(i, 1));
    fuzz::require(at_once.undo() == bytewise.undo(), "segments do not matter to what is taken back");
    fuzz::require(at_once.restore(1, 2) == bytewise.restore(1, 2), "segments do not matter to what is given again");
    const auto side = [&](std::size_t at) { return at < size ? 1u + bytes[size - 1 - at] % 40u : 5u; };
    Screen screen({side(0), side(1)});
    screen.feed(output.substr(0, size / 2));
    screen.resize({side(2), side(3)});
    screen.feed(output.substr(size / 2));
    const std::string painted = screen.paint(7);
    for (std::size_t at = painted.find('\x1b'); at != painted.npos; at = painted.find('\x1b', at + 1))
        fuzz::require(at + 1 < painted.size() && std::string_view("[()=").find(painted[at + 1]) != std::string_view::npos,
                      "no string, no question, no unknown sequence is drawn");
    return 0;
}
