// maven: the mirrors and repositories of ~/.m2/settings.xml and of the installation's settings.xml. Maven itself cannot be asked:
// its answer needs a plugin that it would first download. It takes no setting from the environment either, so a session that is
// to use a mirror reads the file (docs/policy.md).
#include "core/registries/finders.h"
#include "core/registries/xml_text.h"
#include "core/system/files.h"

#include <filesystem>
#include <map>

namespace belljar {
namespace {

struct Address {
    std::string url, where;
};

struct Mirror {
    std::string url, of;
    bool blocked = false;
};

bool is_remote(const std::string& url) {
    return !url.empty() && !url.starts_with("file:");
}

struct Repositories {
    std::vector<Address> mirrors, repositories;
    bool mirrors_all = false; // some mirror stands for "*": then nothing else is asked
};

Status read_settings(const UserFiles& files, const std::string& path, Repositories& found) {
    const auto text = files.read(path);
    if (!text) return tl::unexpected(text.error());
    if (!*text) return {};
    const auto elements = read_xml(**text);
    if (!elements) return failure(files.shown(path) + ": " + elements.error().what, elements.error().why);
    std::map<unsigned, Mirror> mirrors; // by their element
    for (const XmlText& element : *elements) {
        if (element.path == "settings/mirrors/mirror/url") mirrors[element.element].url = element.text;
        if (element.path == "settings/mirrors/mirror/mirrorOf") mirrors[element.element].of = element.text;
        if (element.path == "settings/mirrors/mirror/blocked") mirrors[element.element].blocked = element.text == "true";
        for (const char* kind : {"repositories/repository", "pluginRepositories/pluginRepository"})
            if (element.path == std::string("settings/profiles/profile/") + kind + "/url" && is_remote(element.text))
                found.repositories.push_back({element.text, files.shown(path)});
    }
    for (const auto& [number, mirror] : mirrors) {
        if (mirror.blocked || !is_remote(mirror.url)) continue; // one that refuses, or a folder of this machine
        found.mirrors.push_back({mirror.url, files.shown(path)});
        found.mirrors_all = found.mirrors_all || mirror.of == "*";
    }
    return {};
}

std::vector<std::string> installation_files(const UserFiles& files) {
    std::vector<std::string> paths;
    for (const char* variable : {"MAVEN_HOME", "M2_HOME"})
        if (const std::string folder = files.variable(variable); folder.starts_with('/'))
            paths.push_back(folder + "/conf/settings.xml");
    if (const auto program = files.program("mvn"))
        paths.push_back(std::filesystem::path(real_path(*program).value_or(*program)).parent_path().parent_path() / "conf/settings.xml");
    return paths;
}

} // namespace

Status find_maven(Finding& finding) {
    Repositories found;
    if (Status read = read_settings(finding.files, finding.files.home("/.m2/settings.xml"), found); !read) return read;
    for (const std::string& path : installation_files(finding.files))
        if (Status read = read_settings(finding.files, path, found); !read) return read;
    for (const Address& mirror : found.mirrors)
        if (const auto url = finding.add(mirror.url, mirror.where); !url) return tl::unexpected(url.error());
    if (found.mirrors_all) return {};
    for (const Address& repository : found.repositories)
        if (const auto url = finding.add(repository.url, repository.where); !url) return tl::unexpected(url.error());
    return {};
}

} // namespace belljar
