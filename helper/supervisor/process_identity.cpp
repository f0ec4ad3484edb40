// A process in the words of an event: pid, exe, argv.
#include "helper/supervisor/process_identity.h"

#include "core/session/spec.h"
#include "helper/supervisor/recorder.h"

#include <algorithm>
#include <string_view>

namespace belljar {

void put_process(Json& fields, const std::optional<ProcessIdentity>& process) {
    if (!process) return;
    fields["pid"] = process->pid;
    fields["exe"] = process->exe;
    fields["argv"] = process->argv;
}

std::vector<std::string> capped_arguments(const std::vector<std::string>& arguments) {
    std::vector<std::string> capped;
    std::size_t left = kMaxArgumentBytes;
    for (const std::string& argument : arguments) {
        if (left == 0) {
            capped.emplace_back("…");
            break;
        }
        const std::string_view shown = std::string_view(argument).substr(0, left);
        capped.push_back(bytes_to_text(shown) + (shown.size() < argument.size() ? "…" : ""));
        if (shown.size() < argument.size()) break;
        left -= std::min(left, shown.size() + 1);
    }
    return capped;
}

} // namespace belljar
