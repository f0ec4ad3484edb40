#include "helper/init/layers.h"

#include "core/system/files.h"

#include <fmt/format.h>
#include <string_view>

namespace belljar {
namespace {

std::string status_field(std::string_view status, std::string_view field) {
    const std::size_t at = status.find(fmt::format("\n{}:\t", field));
    if (at == std::string_view::npos) return "?";
    const std::size_t start = at + field.size() + 3;
    return std::string(status.substr(start, status.find('\n', start) - start));
}

} // namespace

std::string describe_layers(const SessionSpec& spec, std::optional<int> landlock) {
    const auto status = read_file("/proc/self/status", 1u << 16).value_or("");
    const auto map = read_file("/proc/self/uid_map", 4096).value_or("");
    std::string lines;
    const auto add = [&](std::string_view name, bool enforced, std::string_view detail) {
        lines += fmt::format("{} {} {}\n", name, enforced ? "enforced" : "missing", detail);
    };
    const bool one_uid = map.find('\n') == map.rfind('\n') && !map.empty();
    add("user-namespace", one_uid, fmt::format("one uid mapped ({})", spec.uid));
    add("mount-namespace", true, "own root, read-only");
    add("pid-namespace", true, "own process tree");
    add("network-namespace", true, "lo and nothing else");
    add("ipc-namespace", true, "own SysV and POSIX IPC");
    add("capabilities", status_field(status, "CapBnd").find_first_not_of('0') == std::string::npos &&
                            status_field(status, "CapEff").find_first_not_of('0') == std::string::npos,
        fmt::format("effective {} bounding {}", status_field(status, "CapEff"), status_field(status, "CapBnd")));
    add("no-new-privs", status_field(status, "NoNewPrivs") == "1", status_field(status, "NoNewPrivs"));
    if (spec.syscalls.nested)
        return lines + "landlock off workspace.nested lets programs inside make namespaces and mounts, which Landlock forbids\n";
    add("landlock", landlock.has_value(), landlock ? fmt::format("ABI {}", *landlock) : std::string("the kernel has none"));
    return lines;
}

} // namespace belljar
