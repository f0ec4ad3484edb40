// Starts a session: the helper as our own child over a socket pair, with nothing of ours in its hands (no environment,
// no descriptor beside its connection: what it does not have it cannot leak, KERNEL: /proc/1/environ), and one call to
// it.
#pragma once

#include "core/session/spec.h"
#include "core/system/unique_fd.h"
#include "core/varlink/client.h"

#include <sys/types.h>
#include <vector>

namespace belljar {

struct Helper {
    varlink::Client connection;
    pid_t pid = -1;
};

Result<Helper> start_helper();
// Sends org.belljar.Helper.Start. The descriptors are closed here once they are on their way.
Status send_start(Helper& helper, const SessionSpec& spec, std::vector<UniqueFd> descriptors);
// Waits for the answer to it.
Status await_started(Helper& helper);
// The same without waiting, when the connection is readable: whether the answer is there.
Result<bool> started(Helper& helper);

// A Varlink reply that is an error, as one line for a person; `doing` is what was asked for.
Error error_of(const varlink::Reply& reply, const std::string& doing);

} // namespace belljar
