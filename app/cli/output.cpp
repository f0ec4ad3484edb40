#include "app/cli/output.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

namespace belljar::cli {
namespace {

// Columns on a terminal, near enough for a table: one for each code point.
std::size_t width(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text)
        count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

} // namespace

bool wants_colour(int fd) {
    const char* no_colour = std::getenv("NO_COLOR");
    if (no_colour != nullptr && no_colour[0] != '\0') return false;
    const char* term = std::getenv("TERM");
    return term != nullptr && std::string_view(term) != "dumb" && ::isatty(fd) == 1;
}

std::string tinted(std::string_view text, Tint tint, bool colour) {
    if (!colour) return std::string(text);
    const char* code = "";
    switch (tint) {
    case Tint::None:
        return std::string(text);
    case Tint::Good:
        code = "32";
        break;
    case Tint::Bad:
        code = "31";
        break;
    case Tint::Warn:
        code = "33";
        break;
    case Tint::Dim:
        code = "2";
        break;
    case Tint::Bold:
        code = "1";
        break;
    }
    return fmt::format("\033[{}m{}\033[0m", code, text);
}

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && (!text.empty() || std::fflush(stdout) == 0))
        return;
    complain(Error{"write to standard output", "the output is gone or full", {}, errno});
    std::_Exit(kFailed);
}

void print_json(const Json& value) {
    print(value.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
}

void complain(const Error& error) {
    const std::string line = "belljar: " + error.message() + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void say(std::string_view text) {
    const std::string line = "belljar: " + visible(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows, bool colour) {
    std::vector<std::vector<Cell>> all;
    all.emplace_back();
    for (const std::string& heading : headings)
        all.front().push_back({heading, Tint::Dim});
    for (const auto& row : rows) {
        all.emplace_back();
        for (const Cell& cell : row)
            all.back().push_back({visible(cell.text), cell.tint});
    }
    std::vector<std::size_t> widths(headings.size(), 0);
    for (const auto& row : all)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width(row[i].text));
    std::string out;
    for (const auto& row : all) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            out += tinted(row[i].text, row[i].tint, colour);
            if (i + 1 < row.size()) out.append(widths[i] - width(row[i].text) + 2, ' ');
        }
        out += '\n';
    }
    return out;
}

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

std::int64_t now_us() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

bool agrees_to(const std::string& question) {
    std::cerr << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
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

} // namespace belljar::cli
