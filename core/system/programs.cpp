#include "core/system/programs.h"

#include <climits>
#include <stdexcept>
#include <unistd.h>

namespace belljar {

std::string installation_prefix() {
    char buffer[PATH_MAX];
    const ssize_t n = ::readlink("/proc/self/exe", buffer, sizeof buffer);
    if (n <= 0 || n == sizeof buffer) throw std::runtime_error("readlink /proc/self/exe: is /proc mounted?");
    const std::string path(buffer, static_cast<std::size_t>(n));
    for (const char* inside : {"/bin/", "/libexec/belljar/", "/tests/"})
        if (const std::size_t at = path.rfind(inside); at != std::string::npos) return path.substr(0, at);
    return path.substr(0, path.rfind('/'));
}

std::string program_path(const std::string& name) { return installation_prefix() + "/libexec/belljar/" + name; }
std::string data_path(const std::string& relative) { return installation_prefix() + "/share/belljar/" + relative; }

} // namespace belljar
