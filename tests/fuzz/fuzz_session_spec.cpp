#include "core/session/spec.h"
#include "fuzz.h"

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text = fuzz::text_of(bytes, size);
    fuzz::require(text_to_bytes(bytes_to_text(text)) == text, "bytes survive as text");
    const auto spec = parse_session_spec(text);
    if (!spec) return 0;
    const auto again = parse_session_spec(to_json(*spec));
    fuzz::require(again && *again == *spec, "a spec survives the wire");
    return 0;
}
