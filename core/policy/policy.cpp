#include "core/policy/policy.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::string_view kLayers[] = {
    "user-namespace", "pid-namespace", "network-namespace", "filter",     "landlock",
    "door",           "record",        "apparmor",          "kernel-uid", "cgroup-limits",
};

} // namespace

std::span<const std::string_view> layer_names() {
    return kLayers;
}

std::span<const std::string_view> layers_of_the_system_helper() {
    return std::span(kLayers).subspan(7);
}

bool Policy::sets(std::string_view dotted_key) const {
    return std::binary_search(keys.begin(), keys.end(), dotted_key);
}

std::string Diagnostic::text() const {
    std::string sentence = file;
    if (line > 0) sentence += fmt::format(":{}:{}", line, column);
    sentence += ": " + message;
    if (!suggestion.empty()) sentence += "; " + suggestion;
    return visible(sentence);
}

const std::vector<std::string>& default_system_paths() {
    static const std::vector<std::string> paths{
        // Programs and libraries.
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        // The loader and the linker; alternatives are half the names in /usr/bin.
        "/etc/alternatives",
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        // Which system this is, its language and time.
        "/etc/os-release",
        "/etc/debian_version",
        "/etc/lsb-release",
        "/etc/localtime",
        "/etc/timezone",
        "/etc/locale.alias",
        "/etc/locale.conf",
        // Certificates of authorities, without /etc/ssl/private and /etc/pki/tls/private.
        "/etc/ssl/certs",
        "/etc/ssl/cert.pem",
        "/etc/ssl/openssl.cnf",
        "/etc/ca-certificates",
        "/etc/pki/tls/certs",
        "/etc/pki/tls/cert.pem",
        "/etc/pki/tls/openssl.cnf",
        "/etc/pki/ca-trust",
        "/etc/crypto-policies",
        // Names of protocols, and how addresses are chosen.
        "/etc/protocols",
        "/etc/services",
        "/etc/gai.conf",
        "/etc/host.conf",
        "/etc/krb5.conf",
        // Shells and terminals.
        "/etc/profile",
        "/etc/profile.d",
        "/etc/bash.bashrc",
        "/etc/bashrc",
        "/etc/zsh",
        "/etc/fish",
        "/etc/inputrc",
        "/etc/terminfo",
        // Tools: what they do not start without, or behave differently without.
        "/etc/gitconfig",
        "/etc/ssh/ssh_config",
        "/etc/ssh/ssh_config.d",
        "/etc/vim",
        "/etc/vimrc",
        "/etc/nanorc",
        "/etc/chromium.d",
        "/etc/mime.types",
        "/etc/magic",
        "/etc/fonts",
        "/etc/xdg",
        "/etc/xml",
        "/etc/manpath.config",
        "/etc/groff",
        "/etc/perl",
        "/etc/python3",
        "/etc/python3.9",
        "/etc/python3.10",
        "/etc/python3.11",
        "/etc/python3.12",
        "/etc/python3.13",
        "/etc/python3.14",
        "/etc/java",
        "/etc/java-8-openjdk",
        "/etc/java-11-openjdk",
        "/etc/java-17-openjdk",
        "/etc/java-21-openjdk",
        "/etc/java-25-openjdk",
        "/etc/maven/m2.conf",
        "/etc/maven/logging",
        "/etc/dotnet",
        "/etc/R",
        "/etc/texmf",
    };
    return paths;
}

Policy documented_defaults() {
    Policy policy;
    policy.filesystem.system = default_system_paths();
    return policy;
}

} // namespace belljar
