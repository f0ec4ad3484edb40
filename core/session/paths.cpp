#include "core/session/paths.h"

#include <cstdlib>

namespace belljar {
namespace {

std::string absolute_from(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && value[0] == '/' ? std::string(value) : std::string();
}

std::string choose(const char* own, const char* xdg, const std::string& otherwise) {
    if (std::string path = absolute_from(own); !path.empty()) return path;
    if (std::string path = absolute_from(xdg); !path.empty()) return path + "/belljar";
    return otherwise;
}

} // namespace

Paths Paths::from_environment(const std::string& home) {
    Paths paths;
    paths.state = choose("BELLJAR_STATE_DIR", "XDG_STATE_HOME", home + "/.local/state/belljar");
    paths.runtime = choose("BELLJAR_RUNTIME_DIR", "XDG_RUNTIME_DIR", paths.state + "/run");
    paths.config = choose("BELLJAR_CONFIG_DIR", "XDG_CONFIG_HOME", home + "/.config/belljar");
    return paths;
}

} // namespace belljar
