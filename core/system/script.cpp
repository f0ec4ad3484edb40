#include "core/system/script.h"

#include "core/system/unique_fd.h"

#include <algorithm>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace belljar {

std::optional<std::vector<std::string>> interpreter_words(const std::string& path) {
    char bytes[256];
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const ssize_t got = file ? ::read(file.get(), bytes, sizeof bytes) : -1;
    if (got < 2 || bytes[0] != '#' || bytes[1] != '!') return std::nullopt;
    std::string_view line(bytes + 2, static_cast<std::size_t>(got) - 2);
    line = line.substr(0, line.find('\n'));
    constexpr std::string_view white = " \t\r";
    std::vector<std::string> words;
    for (std::size_t start = 0; (start = line.find_first_not_of(white, start)) != line.npos;) {
        const std::size_t end = std::min(line.find_first_of(white, start), line.size());
        words.emplace_back(line.substr(start, end - start));
        start = end;
    }
    return words;
}

} // namespace belljar
