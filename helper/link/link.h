// The link: the SOCK_SEQPACKET pair between the inside of a session (builder, then init, pid 1) and its supervisor. Both
// ends are our own programs, but the inside end is treated as hostile by the supervisor: a malformed message ends the session.
//
//   builder → Built (with descriptors)         supervisor → Go, once session-started is committed and the door serves
//   init    → Listener, Started | ExecFailed   … Exited
//   supervisor → SignalCommand, ConnectUnix, MakePair    init → ConnectDone, PairMade
//   builder, init → Failed (stage, errno): the session could not be made; the supervisor says so and ends
#pragma once

#include "core/system/descriptor_passing.h"
#include "core/system/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belljar::link {

enum class Type : std::uint32_t {
    Built = 1,         // builder → supervisor. text: one Role byte and a big-endian port (2 bytes) for each descriptor
    Go = 2,            // supervisor → init
    Listener = 3,      // the command's process → supervisor, before exec. fds: the seccomp notification listener
    Started = 4,       // init → supervisor. value: the command's pid as init sees it
    ExecFailed = 5,    // init → supervisor. value: errno of execve; text: the program
    Exited = 6,        // init → supervisor. value: wait status (waitpid(2)); request: peak resident KiB of the largest process
    SignalCommand = 7, // supervisor → init. value: the signal, to the command's process group
    ConnectUnix = 8,   // supervisor → init. request: its number; fds: the caller's socket, and for a pathname the O_PATH
                       // descriptor of the socket file. text: for an abstract address its sun_path bytes (leading NUL)
    ConnectDone = 9,   // init → supervisor. request; value: 0 or errno
    Failed = 10,       // builder, init → supervisor. value: errno; text: "stage\nreason\nwhat next"
    Layers = 11,       // init → supervisor, before Started. text: lines "name state detail" of what was set up inside
    MakePair = 12,     // supervisor → init. request: its number. A pair of connected SOCK_SEQPACKET sockets
    PairMade = 13,     // init → supervisor. request; fds: the two, or none
};

// What a descriptor in Built is.
enum class Role : std::uint8_t {
    DoorTcp4 = 1, DoorTcp6, DoorUdp4, DoorUdp6,   // transparent sockets; getsockname(2) of an accepted one is the original destination;
                                                  // the UDP ones have IP_RECVORIGDSTADDR / IPV6_RECVORIGDSTADDR set
    DnsUdp4, DnsUdp6,                             // bound to port 53, IP_PKTINFO / IPV6_RECVPKTINFO, marked so that answers pass
    DnsTcp4, DnsTcp6,                             // listening on port 53
    SockDiag,                                     // NETLINK_SOCK_DIAG socket made in the session's network namespace
    PtyMaster,                                    // of the session's own devpts; non-blocking
    HostService4, HostService6,                   // listening on the session's localhost:PORT (port: PORT)
};

struct Message {
    Type type{};
    std::uint32_t request = 0;
    std::int32_t value = 0;
    std::string text; // at most kMaxText bytes
    std::vector<UniqueFd> fds;
};

inline constexpr std::size_t kMaxText = 8192;

Status send(int socket, Type type, std::uint32_t request, std::int32_t value, std::string_view text = {},
            std::span<const int> fds = {});
// nullopt: the other end closed. With a non-blocking socket EAGAIN comes back as the Error's errno.
Result<std::optional<Message>> receive(int socket);

// Descriptors and arguments with which the builder starts the other two. Numbers are fixed; the flag says whether it is there.
namespace supervisor_fd {
inline constexpr int kSpec = 3;      // the spec as JSON, a sealed memfd
inline constexpr int kLink = 4;      // non-blocking is the supervisor's to set
inline constexpr int kResolver = 5;  // SOCK_SEQPACKET to the resolver stub (helper/resolver/protocol.h)
inline constexpr int kListen = 6;    // session.sock, bound and listening
inline constexpr int kOwner = 7;     // --owner: the owner's Varlink connection (SOCK_STREAM)
inline constexpr int kTerminal = 8;  // --terminal: the terminal's byte stream to the owner (SOCK_STREAM)
inline constexpr int kHomeLock = 9;  // with a kept home (spec.kept_home): its lock, held
}
namespace init_fd {
inline constexpr int kSpec = 3;
inline constexpr int kLink = 4;
inline constexpr int kStandardInput = 5, kStandardOutput = 6, kStandardError = 7; // only those of kind Pipe
inline constexpr int kFilter = 8;    // the BPF program: struct sock_filter[], a file
}
// Where the supervisor's own minimal root has things.
inline constexpr const char* kStateInside = "/state"; // the session's state folder, read-write
// /proc there shows the supervisor (pid 1 of an outer pid namespace) and the session's processes, nothing of the host.

// The transparent door's packet mark (SO_MARK): what carries it is let through by the firewall rule.
inline constexpr std::uint32_t kDoorMark = 0xbe11;

} // namespace belljar::link
