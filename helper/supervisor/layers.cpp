#include "helper/supervisor/layers.h"

#include "core/session/spec.h"
#include "core/system/files.h"

#include <algorithm>
#include <climits>
#include <optional>
#include <unistd.h>

namespace belljar {
namespace {

struct NamespaceLayer {
    const char* link;
    const char* layer;
    bool basic; // without it a session does not start
};
constexpr NamespaceLayer kNamespaces[] = {{"user", "user-namespace", true},      {"mnt", "mount-namespace", true},
                                          {"pid", "pid-namespace", true},        {"net", "network-namespace", true},
                                          {"ipc", "ipc-namespace", true},        {"uts", "uts-namespace", true},
                                          {"cgroup", "cgroup-namespace", false}, {"time", "time-namespace", false}};
constexpr const char* kOtherBasic[] = {"capabilities", "no-new-privs", "filter"};

std::optional<std::string> read_link(const std::string& path) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length <= 0) return std::nullopt;
    return std::string(target, static_cast<std::size_t>(length));
}

std::string field(const std::string& status, const std::string& name) {
    const std::size_t at = status.find("\n" + name + ":\t");
    if (at == std::string::npos) return {};
    const std::size_t start = at + name.size() + 3;
    return status.substr(start, status.find('\n', start) - start);
}

bool zero(const std::string& hexadecimal) {
    return !hexadecimal.empty() && hexadecimal.find_first_not_of('0') == std::string::npos;
}

Layer layer(std::string name, bool holds, std::string detail, std::string source) {
    return Layer{std::move(name), holds ? "enforced" : "missing", std::move(detail), std::move(source)};
}

void add_status(std::vector<Layer>& layers, const std::string& path, bool filtered) {
    const std::string status = read_file(path).value_or("");
    const bool none = zero(field(status, "CapInh")) && zero(field(status, "CapPrm")) && zero(field(status, "CapEff")) &&
                      zero(field(status, "CapBnd")) && zero(field(status, "CapAmb"));
    layers.push_back(layer("capabilities", none,
                           "effective " + field(status, "CapEff") + ", bounding " + field(status, "CapBnd"),
                           path + " Cap*"));
    layers.push_back(layer("no-new-privs", field(status, "NoNewPrivs") == "1",
                           "NoNewPrivs " + field(status, "NoNewPrivs"), path + " NoNewPrivs"));
    if (filtered)
        layers.push_back(layer("filter", field(status, "Seccomp") == "2",
                               "mode " + field(status, "Seccomp") + ", filters " + field(status, "Seccomp_filters"),
                               path + " Seccomp, Seccomp_filters"));
    else
        layers.push_back(Layer{"filter", "enforced", "before the command's exec; without its listener the session ends",
                               "supervisor"});
}

} // namespace

std::vector<Layer> parse_reported_layers(std::string_view text) {
    std::vector<Layer> layers;
    while (!text.empty() && layers.size() < 64) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t first = line.find(' ');
        if (first == 0 || first == std::string_view::npos) continue;
        const std::size_t second = std::min(line.find(' ', first + 1), line.size());
        const std::string_view state = line.substr(first + 1, second - first - 1);
        if (state != "enforced" && state != "missing" && state != "off") continue;
        layers.push_back(Layer{bytes_to_text(line.substr(0, first)), std::string(state),
                               bytes_to_text(line.substr(std::min(second + 1, line.size()))), "init"});
    }
    return layers;
}

std::vector<Layer> read_layers(pid_t process, bool filtered, const std::vector<Layer>& reported) {
    const std::string folder = "/proc/" + std::to_string(process);
    std::vector<Layer> layers;
    for (const NamespaceLayer& space : kNamespaces) {
        const std::string path = folder + "/ns/" + space.link;
        const auto theirs = read_link(path), ours = read_link(std::string("/proc/self/ns/") + space.link);
        if (!ours) continue; // a kernel without this kind
        layers.push_back(layer(space.layer, theirs && *theirs != *ours, theirs.value_or("not readable"), path));
    }
    add_status(layers, folder + "/status", filtered);
    for (const Layer& said : reported)
        if (std::ranges::none_of(layers, [&](const Layer& known) { return known.name == said.name; }))
            layers.push_back(said);
    return layers;
}

std::vector<Layer> read_command_layers(pid_t command, pid_t init, bool nested, const std::vector<Layer>& reported) {
    std::vector<Layer> layers = read_layers(command, true, reported);
    const auto user = [](pid_t process) { return read_link("/proc/" + std::to_string(process) + "/ns/user"); };
    if (!nested || user(command) == user(init)) return layers;
    const std::vector<Layer> of_init = read_layers(init, false, reported);
    const auto began_with = std::ranges::find(of_init, std::string("capabilities"), &Layer::name);
    const auto has_now = std::ranges::find(layers, std::string("capabilities"), &Layer::name);
    if (began_with != of_init.end() && has_now != layers.end()) *has_now = *began_with;
    return layers;
}

const Layer* first_missing(const std::vector<Layer>& layers, const std::vector<std::string>& required,
                           std::string& name) {
    static const Layer absent{"", "missing", "nothing was said of it", "supervisor"};
    std::vector<std::string> names = required;
    for (const NamespaceLayer& space : kNamespaces)
        if (space.basic) names.emplace_back(space.layer);
    for (const char* basic : kOtherBasic)
        names.emplace_back(basic);
    for (const std::string& wanted : names) {
        const auto found = std::ranges::find(layers, wanted, &Layer::name);
        if (found != layers.end() && found->state == "enforced") continue;
        name = wanted;
        return found == layers.end() ? &absent : &*found;
    }
    return nullptr;
}

Json to_json(const std::vector<Layer>& layers) {
    Json list = Json::array();
    for (const Layer& each : layers)
        list.push_back({{"name", each.name}, {"state", each.state}, {"detail", each.detail}, {"source", each.source}});
    return list;
}

} // namespace belljar
