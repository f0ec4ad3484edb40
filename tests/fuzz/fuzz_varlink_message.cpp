#include "core/varlink/message.h"
#include "fuzz.h"

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text = fuzz::text_of(bytes, size);
    if (const auto call = varlink::parse_call(text)) {
        std::string wire = varlink::encode(*call);
        fuzz::require(!wire.empty() && wire.back() == '\0' && wire.find('\0') == wire.size() - 1,
                      "a message ends with its only NUL");
        wire.pop_back();
        const auto again = varlink::parse_call(wire);
        fuzz::require(again && again->method == call->method && again->parameters == call->parameters,
                      "a call survives the wire");
    }
    if (const auto reply = varlink::parse_reply(text)) varlink::encode(*reply);
    varlink::FrameSplitter splitter;
    std::size_t out = 0;
    for (std::size_t at = 0; at < size; at += 7) {
        if (!splitter.feed(std::span(text.data() + at, std::min<std::size_t>(7, size - at)))) return 0;
        while (const auto message = splitter.next())
            out += message->size() + 1;
    }
    fuzz::require(out <= size, "no more comes out than went in");
    return 0;
}
