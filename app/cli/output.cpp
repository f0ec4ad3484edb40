#include "app/cli/output.h"

#include <cstdio>
#include <cstdlib>
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

int told(const Result<int>& status, int failed) {
    if (status) return *status;
    complain(status.error());
    return failed;
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

bool agrees_to(const std::string& question) {
    std::cerr << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace belljar::cli
