// `belljar restart`'s way back into `belljar run`.
#pragma once

#include <string>
#include <vector>

namespace belljar::cli {

// `belljar run` with these words, but for what is said here. Returns its exit status.
struct RunAgain {
    std::vector<std::string> words;
    std::string name;
    bool detach = false, quiet = false, json = false;
};
int run_again(const RunAgain& again);

} // namespace belljar::cli
