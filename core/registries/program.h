// Asks a program of the user's for one fact: outside, in "/", with an environment made for it, and with a limit on everything.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace belljar {

// What it wrote to standard output (at most 64 KiB), when it ended with status 0 before the deadline, and before a blocked
// signal came that is to end us. It is killed otherwise; what it started in its process group is killed in any case.
std::optional<std::string> run_program(const std::string& path, const std::vector<std::string>& argv,
                                       const std::vector<std::string>& environment,
                                       std::chrono::steady_clock::time_point deadline);

} // namespace belljar
