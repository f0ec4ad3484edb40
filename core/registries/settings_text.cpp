#include "core/registries/settings_text.h"

#include <algorithm>

namespace belljar {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";

// Calls `each` with every line, without its end.
void for_lines(std::string_view text, auto each) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        each(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string_view unquoted(std::string_view text) {
    const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
}

bool is_section(std::string_view line) {
    return line.size() >= 2 && line.front() == '[' && line.back() == ']';
}

} // namespace

std::string_view trimmed(std::string_view text) {
    const std::size_t start = text.find_first_not_of(kSpace);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> found;
    while (!(text = trimmed(text)).empty()) {
        const std::size_t end = std::min(text.find_first_of(kSpace), text.size());
        found.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return found;
}

std::vector<Setting> read_npmrc(std::string_view text) {
    std::vector<Setting> settings;
    std::string section;
    for_lines(text, [&](std::string_view line) {
        line = trimmed(line);
        if (line.empty() || line[0] == ';' || line[0] == '#') return;
        if (is_section(line)) {
            section = line.substr(1, line.size() - 2);
            return;
        }
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) return;
        std::string_view value = trimmed(line.substr(equals + 1));
        if (!value.starts_with('"') && !value.starts_with('\'')) value = trimmed(value.substr(0, value.find_first_of(";#")));
        settings.push_back({section, std::string(unquoted(trimmed(line.substr(0, equals)))), std::string(unquoted(value))});
    });
    return settings;
}

std::vector<Setting> read_pip_conf(std::string_view text) {
    std::vector<Setting> settings;
    std::string section;
    bool open = false; // a value that indented lines may go on with
    for_lines(text, [&](std::string_view line) {
        const bool indented = !line.empty() && kSpace.find(line[0]) != std::string_view::npos;
        line = trimmed(line);
        if (line.empty() || line[0] == ';' || line[0] == '#') return;
        if (indented && open) {
            settings.back().value += "\n" + std::string(line);
            return;
        }
        open = false;
        if (is_section(line)) {
            section = line.substr(1, line.size() - 2);
            return;
        }
        const std::size_t sign = line.find_first_of("=:");
        if (sign == std::string_view::npos) return;
        std::string key = lower(trimmed(line.substr(0, sign)));
        std::replace(key.begin(), key.end(), '_', '-');
        settings.push_back({section, std::move(key), std::string(trimmed(line.substr(sign + 1)))});
        open = true;
    });
    return settings;
}

std::vector<Setting> read_go_env(std::string_view text) {
    std::vector<Setting> settings;
    for_lines(text, [&](std::string_view line) {
        line = trimmed(line);
        const std::size_t equals = line.find('=');
        if (line.empty() || line[0] == '#' || equals == std::string_view::npos || equals == 0) return;
        settings.push_back({{}, std::string(line.substr(0, equals)), std::string(trimmed(line.substr(equals + 1)))});
    });
    return settings;
}

} // namespace belljar
