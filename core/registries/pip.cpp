// pip: PIP_INDEX_URL and PIP_EXTRA_INDEX_URL, then pip.conf: $PIP_CONFIG_FILE, the user's, the system's; in each the sections of
// the commands that fetch, and [global]. The index names in its pages where files lie: that is not configuration, so a files'
// host of its own is not known here.
#include "core/registries/finders.h"
#include "core/registries/settings_text.h"

#include <algorithm>

namespace belljar {
namespace {

struct Found {
    std::string value, where;
};

struct Indexes {
    std::vector<Found> index, extra; // each that a command may use
    std::string trusted;
};

std::vector<std::string> files_of(const UserFiles& files) {
    std::vector<std::string> paths;
    const std::string told = files.variable("PIP_CONFIG_FILE");
    if (told == "/dev/null") return {};
    if (told.starts_with('/')) paths.push_back(told);
    paths.push_back(files.config_home() + "/pip/pip.conf");
    paths.push_back(files.home("/.pip/pip.conf"));
    paths.push_back(files.etc("/pip.conf"));
    std::string folders = files.variable("XDG_CONFIG_DIRS");
    if (folders.empty()) folders = files.etc("/xdg");
    for (std::size_t start = 0; start <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', start), folders.size());
        if (folders[start] == '/') paths.push_back(folders.substr(start, end - start) + "/pip/pip.conf");
        start = end + 1;
    }
    return paths;
}

// A section's own value is used in place of [global]'s, so all of them may be used. Within one section the first file counts.
Status read_files(const UserFiles& files, Indexes& found) {
    std::vector<std::string> seen; // "section key"
    for (const std::string& path : files_of(files)) {
        const auto text = files.read(path);
        if (!text) return tl::unexpected(text.error());
        if (!*text) continue;
        std::vector<std::string> here;
        for (const Setting& setting : read_pip_conf(**text)) {
            if (setting.section != "global" && setting.section != "install" && setting.section != "download" &&
                setting.section != "wheel")
                continue;
            const std::string name = setting.section + " " + setting.key;
            if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
            here.push_back(name);
            if (setting.key == "index-url") found.index.push_back({setting.value, files.shown(path)});
            if (setting.key == "extra-index-url") found.extra.push_back({setting.value, files.shown(path)});
            if (setting.key == "trusted-host" && found.trusted.empty()) found.trusted = setting.value;
        }
        seen.insert(seen.end(), here.begin(), here.end());
    }
    return {};
}

// "… -i, --index-url <url>  Base URL of … (default URL). …": what this pip would use.
std::string default_of(std::string_view help) {
    const std::size_t option = help.find("--index-url");
    if (option == std::string_view::npos) return {};
    const std::size_t start = help.find("http", option);
    if (start == std::string_view::npos) return {};
    std::string_view url = help.substr(start, help.substr(start).find_first_of(") \t\r\n"));
    while (url.ends_with('.') || url.ends_with(','))
        url.remove_suffix(1);
    return std::string(url);
}

std::string ask_pip(const UserFiles& files) {
    for (const std::vector<std::string>& argv :
         {std::vector<std::string>{"pip3", "help", "install"}, {"pip", "help", "install"}, {"python3", "-I", "-B", "-m", "pip", "help", "install"}})
        if (const auto answer = files.ask(argv, {"PIP_CONFIG_FILE=/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PYTHONNOUSERSITE=1", "PYTHONDONTWRITEBYTECODE=1"}))
            if (std::string url = default_of(*answer); !url.empty()) return url;
    return {};
}

} // namespace

Status find_pip(Finding& finding) {
    const UserFiles& files = finding.files;
    Indexes found;
    if (Status read = read_files(files, found); !read) return read;
    if (const std::string url = files.variable("PIP_INDEX_URL"); !url.empty())
        found.index = {{url, "the environment's PIP_INDEX_URL"}};
    if (const std::string urls = files.variable("PIP_EXTRA_INDEX_URL"); !urls.empty())
        found.extra = {{urls, "the environment's PIP_EXTRA_INDEX_URL"}};
    if (const std::string hosts = files.variable("PIP_TRUSTED_HOST"); !hosts.empty()) found.trusted = hosts;
    if (found.index.empty())
        if (std::string url = ask_pip(files); !url.empty()) found.index = {{std::move(url), "pip's own answer"}};
    std::string index, extra;
    for (const Found& one : found.index) {
        const auto url = finding.add(one.value, one.where);
        if (!url) return tl::unexpected(url.error());
        if (index.empty()) index = *url;
    }
    for (const Found& one : found.extra)
        for (const std::string& word : words(one.value)) {
            const auto url = finding.add(word, one.where);
            if (!url) return tl::unexpected(url.error());
            extra += (extra.empty() ? "" : " ") + *url;
        }
    if (!index.empty()) finding.tell("PIP_INDEX_URL", index);
    if (!extra.empty()) finding.tell("PIP_EXTRA_INDEX_URL", extra);
    std::string trusted; // host names, one or more
    for (const std::string& host : words(found.trusted))
        trusted += (trusted.empty() ? "" : " ") + host;
    if (!trusted.empty() && trusted.find('@') == std::string::npos) finding.tell("PIP_TRUSTED_HOST", trusted);
    return {};
}

} // namespace belljar
