// The stub that stands in for belljar-resolver until a name is first needed: most sessions start without one, and a
// fork that only waits costs next to nothing. It is forked by the helper daemon before the supervisor is confined, so
// that names are later resolved with the user's authority and all of nsswitch (helper/resolver/protocol.h).
#pragma once

namespace belljar {

// Call in a fresh fork of a single-threaded process; does not return. Leaves the caller's process group and terminal,
// closes every descriptor but `socket` (a SOCK_SEQPACKET) and points the standard streams at /dev/null. At the first
// message it becomes `program`, with the socket as kResolverSocket and `runtime_folder` as argv[1]; at end-of-file it
// tidies up and ends.
[[noreturn]] void stub_main(int socket, const char* program, const char* runtime_folder);

// Removes what a session leaves in its runtime folder (session.sock), and the folder if nothing else is in it.
void remove_runtime_folder(const char* runtime_folder);

} // namespace belljar
