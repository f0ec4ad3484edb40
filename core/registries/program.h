// Asks a program of the user's for one fact: outside, in "/", with an environment made for it, and with a limit on everything.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace belljar {

// What it wrote to standard output (at most 64 KiB), when it ended with status 0 within ten seconds. It is killed otherwise,
// with whatever it started in its process group.
std::optional<std::string> run_program(const std::string& path, const std::vector<std::string>& argv,
                                       const std::vector<std::string>& environment);

} // namespace belljar
