#include "core/policy/document.h"

#include <algorithm>

namespace belljar {
namespace {

struct Place {
    unsigned line = 0, column = 0;
};

// Columns count code points, as toml++ does.
Place place_of(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::string_view line = before.substr(before.rfind('\n') + 1); // npos + 1 is 0
    const auto code_points =
        std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return {static_cast<unsigned>(1 + std::count(before.begin(), before.end(), '\n')),
            static_cast<unsigned>(code_points + 1)};
}

bool reaches_assertion(std::string_view text) {
    try {
        static_cast<void>(toml::parse(text));
        return false;
    } catch (const TomlAssertion&) {
        return true;
    }
}

// An assertion has no place. The parser reads forward, so the shortest beginning of the file that still reaches the
// assertion ends with the character that is wrong.
Place place_of_assertion(std::string_view text) {
    std::size_t passes = 0, fails = text.size();
    while (passes + 1 < fails) {
        const std::size_t middle = passes + (fails - passes) / 2;
        (reaches_assertion(text.substr(0, middle)) ? fails : passes) = middle;
    }
    return place_of(text, passes);
}

tl::unexpected<Diagnostic> bad(const std::string& file, Place place, std::string message) {
    return tl::unexpected(Diagnostic{file, place.line, place.column, std::move(message), {}});
}

} // namespace

tl::expected<toml::table, Diagnostic> read_document(std::string_view text, const std::string& file) {
    // toml++ reads a NUL as the end of some things and not of others; a policy has none.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return bad(file, place_of(text, nul), "a NUL byte: not a text file");
    try {
        toml::parse_result parsed = toml::parse(text, std::string_view(file));
        if (parsed) return std::move(parsed).table();
        const toml::source_position at = parsed.error().source().begin;
        return bad(file, {at.line, at.column}, "not TOML: " + std::string(parsed.error().description()));
    } catch (const TomlAssertion&) {
        return bad(file, place_of_assertion(text), "not TOML: unexpected here");
    }
}

} // namespace belljar
