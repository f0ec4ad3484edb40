#include "app/client/wording.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <utility>

namespace belljar {

std::string in_bytes(std::uint64_t bytes) {
    if (bytes < 1000) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes);
    const char* unit = "";
    for (const char* next : {"kB", "MB", "GB", "TB", "PB", "EB"}) {
        if (value < 999.95) break;
        value /= 1000;
        unit = next;
    }
    return fmt::format("{:.1f} {}", value, unit);
}

std::string in_time(std::int64_t microseconds) {
    const std::int64_t seconds = microseconds / 1'000'000;
    if (microseconds < 1'000'000) return fmt::format("{} ms", std::max<std::int64_t>(0, microseconds) / 1000);
    if (seconds < 60) return fmt::format("{:.1f} s", static_cast<double>(microseconds / 100'000) / 10);
    if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    if (seconds < 86400) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
    return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

std::string in_date(std::int64_t microseconds) {
    const std::time_t seconds = microseconds / 1'000'000;
    std::tm fields{};
    if (::gmtime_r(&seconds, &fields) == nullptr) return "?";
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", fields.tm_year + 1900, fields.tm_mon + 1, fields.tm_mday,
                       fields.tm_hour, fields.tm_min, fields.tm_sec);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::optional<std::vector<std::string>> split_command_line(std::string_view line) {
    std::vector<std::string> words;
    bool in_word = false;
    const auto word = [&]() -> std::string& {
        if (!std::exchange(in_word, true)) words.emplace_back();
        return words.back();
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == ' ' || c == '\t' || c == '\n') {
            in_word = false;
        } else if (c == '\'') {
            const std::size_t end = line.find('\'', i + 1);
            if (end == line.npos) return std::nullopt;
            word() += line.substr(i + 1, end - i - 1);
            i = end;
        } else if (c == '"') {
            std::string& into = word();
            for (++i;; ++i) {
                if (i >= line.size()) return std::nullopt;
                if (line[i] == '"') break;
                const bool escapes = line[i] == '\\' && i + 1 < line.size() && std::string_view("$`\"\\").find(line[i + 1]) != std::string_view::npos;
                into += line[escapes ? ++i : i];
            }
        } else if (c == '\\') {
            if (i + 1 >= line.size()) return std::nullopt;
            word() += line[++i];
        } else {
            word() += c;
        }
    }
    return words;
}

std::string quoted_for_shell(const std::string& path) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@+";
    const bool home = path.starts_with("~/");
    const std::string rest = home ? path.substr(2) : path;
    if (!rest.empty() && rest.find_first_not_of(plain) == std::string::npos) return path;
    std::string quoted = home ? "~/'" : "'";
    for (const char c : rest)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

} // namespace belljar
