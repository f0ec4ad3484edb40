// How the CLI speaks: errors on one line, tables, colours. Everything that comes from a session is made
// visible before it is printed; colours only on a terminal, and never with NO_COLOR (no-color.org) or TERM=dumb.
#pragma once

#include "app/client/wording.h"
#include "core/system/error.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::cli {

using Json = nlohmann::ordered_json;

// Exit statuses beside those of a command (docs/cli.md).
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 64;      // EX_USAGE: the command line is wrong
inline constexpr int kRunFailed = 125; // `run`: Belljar itself failed

enum class Tint { None, Good, Bad, Warn, Dim, Bold };

bool wants_colour(int fd);
std::string tinted(std::string_view text, Tint tint, bool colour);

// To standard output; nothing: flush it. A write error ends the program with status 1.
void print(std::string_view text);
void print_json(const Json& value); // ASCII only, so that no terminal can be spoken to through it
void complain(const Error& error);  // "belljar: what: why; next" on standard error
int told(const Result<int>& status, int failed = kFailed); // the status; an error is complained of, and is `failed`
void say(std::string_view line);    // "belljar: line" on standard error

struct Cell {
    std::string text;
    Tint tint = Tint::None;
};
// Columns as wide as their widest cell, two spaces between them; the last is not padded. Cells are made visible.
std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows, bool colour);

// Asks on standard error, takes the answer from standard input: y, Y or yes is yes, everything else no.
bool agrees_to(const std::string& question);

} // namespace belljar::cli
