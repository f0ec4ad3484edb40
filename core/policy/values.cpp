#include "core/policy/values.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace belljar {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Takes the number at the front of the text; nullopt when there is none or it does not fit.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t value = 0;
    if (text.empty() || !is_digit(text[0])) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<std::uint64_t> multiply(std::uint64_t one, std::uint64_t other) {
    if (other != 0 && one > std::numeric_limits<std::uint64_t>::max() / other) return std::nullopt;
    return one * other;
}

tl::unexpected<Error> bad(std::string why, std::string next = {}) {
    return failure({}, std::move(why), std::move(next));
}

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

} // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
    constexpr Unit units[] = {
        {"B", 1}, {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}, {"TiB", 1ull << 40}};
    constexpr const char* form = "write a whole number and B, KiB, MiB, GiB or TiB: \"4GiB\"";
    std::string_view rest = text;
    const auto number = take_number(rest);
    const auto unit =
        std::find_if(std::begin(units), std::end(units), [&](const Unit& one) { return one.name == rest; });
    if (!number || unit == std::end(units)) return bad("not a size", form);
    const auto bytes = multiply(*number, unit->factor);
    if (!bytes) return bad("too large for a size", form);
    return *bytes;
}

Result<std::uint64_t> parse_duration(std::string_view text) {
    constexpr Unit units[] = {{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}};
    constexpr const char* form = "write whole numbers with d, h, m, s, the larger first: \"8h\", \"1h30m\"";
    std::uint64_t seconds = 0;
    const Unit* next = std::begin(units);
    while (!text.empty()) {
        const auto number = take_number(text);
        const Unit* unit =
            std::find_if(next, std::end(units), [&](const Unit& one) { return text.starts_with(one.name); });
        if (!number || unit == std::end(units)) return bad("not a duration", form);
        const auto part = multiply(*number, unit->factor);
        if (!part || *part > std::numeric_limits<std::uint64_t>::max() - seconds)
            return bad("too long for a duration", form);
        seconds += *part;
        text.remove_prefix(1);
        next = unit + 1;
    }
    if (seconds == 0) return bad("not a duration", form);
    return seconds;
}

Result<std::string> check_path(std::string_view text, PathForm form) {
    if (text.empty()) return bad("an empty path");
    if (text.size() >= PATH_MAX) return bad("longer than a path can be");
    if (visible(text) != text) return bad("control characters in a path");
    if (text.find_first_of("*?") != std::string_view::npos)
        return bad("'*' and '?' are not read as wildcards", "name the file or folder itself");
    const bool home = text == "~" || text.starts_with("~/");
    if (text[0] == '~' && !home) return bad("only one's own home is known", "write '~/…' or an absolute path");
    switch (form) {
    case PathForm::Absolute:
        if (text[0] != '/') return bad("not an absolute path", "start it with '/'");
        break;
    case PathForm::AbsoluteOrHome:
        if (text[0] != '/' && !home) return bad("not an absolute path", "start it with '/' or '~/'");
        break;
    case PathForm::AlsoWorkspace:
        break;
    }
    std::string path = text[0] == '/' ? "/" : "";
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t slash = std::min(text.find('/', start), text.size());
        const std::string_view part = text.substr(start, slash - start);
        start = slash + 1;
        if (part == "..") return bad("'..' in a path", "write the path without it");
        if (part.empty() || part == ".") continue;
        if (!path.empty() && path.back() != '/') path += '/';
        path += part;
    }
    if (path.empty()) return bad("the workspace itself", "name something in it");
    return path;
}

bool lies_in(std::string_view path, std::string_view folder) {
    if (folder == "/") return true;
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Status check_mountable(std::string_view path) {
    if (path == "/") return bad("would show the whole system", "name the folders that are needed");
    if (path == "~") return bad("would show the whole home", "name what is needed in it: '~/.cargo'");
    if (path == "/etc") return bad("holds passwords and keys", "name the files that are needed in it");
    if (path == "/run" || lies_in(path, "/run/user")) return bad("holds the sockets of the desktop and of agents");
    for (const std::string_view own : {"/proc", "/sys", "/dev"})
        if (lies_in(path, own)) return bad(fmt::format("a session has a {} of its own", own));
    if (path == "/tmp") return bad("a session has a /tmp of its own", "name what is needed in it");
    for (const std::string_view made :
         {"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/hostname"})
        if (path == made) return bad(fmt::format("{} is made for each session", made), "leave it out");
    return {};
}

Status check_environment_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (name.find('=') != std::string_view::npos)
        return bad("a name with '='", "give the name alone: the value is taken from your own environment");
    if (name.empty() || !is_letter(name[0]) ||
        !std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); }))
        return bad("not the name of an environment variable", "letters, digits and '_'; no wildcards");
    for (const std::string_view made : {"HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR"})
        if (name == made) return bad(fmt::format("{} is made for each session", made), "leave it out");
    return {};
}

} // namespace belljar
