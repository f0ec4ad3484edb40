// The key-value files that package tools keep their settings in. Three dialects, each read as its tool reads it as far as a
// registry's address goes; what is no setting is passed over, as the tools do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar {

struct Setting {
    std::string section, key, value; // key in lower case where the tool does not mind; section empty at the top
};

// npmrc(5): "key = value", ';' and '#' begin comments, also behind a value; quotes around a value or key fall away.
std::vector<Setting> read_npmrc(std::string_view text);
// pip.conf: Python's configparser: [section], "key = value" or "key: value", values go on in indented lines. '_' in keys is '-'.
std::vector<Setting> read_pip_conf(std::string_view text);
// Go's env file: KEY=VALUE lines.
std::vector<Setting> read_go_env(std::string_view text);

std::string_view trimmed(std::string_view text);
std::vector<std::string> words(std::string_view text); // split at white space

} // namespace belljar
