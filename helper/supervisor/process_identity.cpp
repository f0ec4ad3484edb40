// A process in the words of an event: pid, exe, argv.
#include "helper/supervisor/process_identity.h"

#include "helper/supervisor/recorder.h"

namespace belljar {

void put_process(Json& fields, const std::optional<ProcessIdentity>& process) {
    if (!process) return;
    fields["pid"] = process->pid;
    fields["exe"] = process->exe;
    fields["argv"] = process->argv;
}

} // namespace belljar
