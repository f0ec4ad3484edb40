// Host names are normalised once, here, before anything compares them: what is not a letter, digit, hyphen or
// underscore after that is refused rather than passed on (RFC 952, RFC 1123 section 2.1, RFC 5891).
#include "core/egress/host_pattern.h"
#include "core/egress/unicode_label.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::size_t kLongestName = 253; // RFC 1035 section 2.3.4, without the final dot

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

Status check_label(std::string_view label) {
    if (label.empty()) return failure("host name", "an empty label");
    for (const char c : label) {
        if (is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_') continue;
        return failure("host name", c > ' ' && c < 0x7f ? fmt::format("a character that no host name has ('{}')", c)
                                                        : fmt::format("a character that no host name has (0x{:02x})",
                                                                      static_cast<unsigned char>(c)));
    }
    if (label.front() == '-' || label.back() == '-')
        return failure("host name", "a label that starts or ends with '-'",
                       "write the name as DNS has it, without a scheme or options");
    if (label == "xn--") return failure("host name", "an empty label");
    return {};
}

// 127.1, 2130706433, 0x7f.1: what inet_aton(3) takes for an address must not pass as a name.
bool ends_in_a_number(std::string_view name) {
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (std::all_of(last.begin(), last.end(), is_digit)) return true;
    return last.starts_with("0x") && last.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

} // namespace

Result<std::string> normalise_host_name(std::string_view name) {
    if (name.size() > kLongestName * 4) return failure("host name", "longer than 253 bytes");
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.empty()) return failure("host name", "empty");
    std::string normalised;
    for (std::size_t start = 0; start <= name.size();) {
        const std::size_t dot = std::min(name.find('.', start), name.size());
        auto label = label_to_ascii(name.substr(start, dot - start));
        if (!label) return label;
        if (Status checked = check_label(*label); !checked) return tl::unexpected(checked.error());
        if (start > 0) normalised += '.';
        normalised += *label;
        start = dot + 1;
    }
    if (normalised.size() > kLongestName) return failure("host name", "longer than 253 bytes");
    if (ends_in_a_number(normalised)) return failure("host name", "ends in a number: neither a name nor an address");
    return normalised;
}

} // namespace belljar
