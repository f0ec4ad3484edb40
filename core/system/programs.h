// Where the other programs and the data lie: relative to the running one, so that an installed tree works from anywhere
// and the build tree has the same shape (bin/, libexec/belljar/, share/belljar/).
#pragma once

#include <string>

namespace belljar {

std::string installation_prefix();                      // the folder that holds bin/ and libexec/
std::string program_path(const std::string& name);      // "belljar-init" → PREFIX/libexec/belljar/belljar-init
std::string data_path(const std::string& relative);     // "policies/default.toml" → PREFIX/share/belljar/…

} // namespace belljar
