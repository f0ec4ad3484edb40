// The session spec: everything the sandbox needs to know, as plain values. The client makes it from a policy; the helper
// daemon, the builder, init and the supervisor read it and nothing else (policy → spec → sandbox → events → record).
// On the wire it is JSON, capped at kMaxSpecBytes, strict: an unknown member, a missing one or a wrong type is an error.
// The helper treats it as hostile input; nothing in it is trusted beyond the authority of whoever sent it.
#pragma once

#include "core/system/error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// Of a policy of 8 MiB, and of a command line of 2 MiB whose every byte is written as six.
inline constexpr std::size_t kMaxSpecBytes = 32u << 20;

enum class MountMode { Read, Write, Hide };

// A path that is visible inside, at the same absolute path as outside. For Hide the path is masked by an empty file or
// folder. Paths are absolute, normalised, and real (no symlink in them) when the client wrote them.
struct MountSpec {
    std::string path;
    MountMode mode = MountMode::Read;
    bool operator==(const MountSpec&) const = default;
};

// One set of egress rules, in the text form of the policy (core/egress/host_pattern.h parses it). A destination is
// allowed only if every set in SessionSpec::egress allows it: a workspace's policy is a further set and so only narrows.
struct EgressRules {
    std::string source;               // whose rules these are, for the record: "default", ".belljar/policy.toml"
    std::string fallback = "deny";    // deny | ask | observe
    std::vector<std::string> allow, deny, private_names;
    bool operator==(const EgressRules&) const = default;
};

struct SyscallSpec {
    std::string profile = "default"; // default | strict
    std::vector<std::string> allow, deny;
    bool nested = false;             // the calls of a sandbox inside: namespaces of its own, and mounts in them
    bool operator==(const SyscallSpec&) const = default;
};

struct LimitSpec {
    std::optional<std::uint64_t> memory_bytes;
    std::uint64_t processes = 512;
    std::uint64_t open_files = 4096;
    std::optional<double> cpus;
    std::uint64_t scratch_bytes = 1u << 30;       // the size of /tmp, /dev/shm and the rest of the private root, together
    std::optional<std::uint64_t> duration_seconds;
    bool operator==(const LimitSpec&) const = default;
};

// The HTTP proxy through which the door reaches the outside with CONNECT (RFC 9110 §9.3.6). It stays outside: init's copy of
// the spec has none, and what is written to disk has no authorization.
struct ProxySpec {
    std::string host;                 // a normalised name, or an address without brackets
    std::uint16_t port = 80;
    std::string authorization;        // "Basic …", the value of Proxy-Authorization; empty without
    std::vector<std::string> direct;  // NO_PROXY's entries: what is reached without it (core/egress/no_proxy.h)
    std::string place() const;        // "proxy.example:3128", for sentences and the record
    bool operator==(const ProxySpec&) const = default;
};

// What a standard stream of the command is: the session's own terminal, a pipe that came with the request, or /dev/null.
enum class StreamKind { Terminal, Pipe, Null };

struct TerminalSpec {
    StreamKind standard_input = StreamKind::Null, standard_output = StreamKind::Null, standard_error = StreamKind::Null;
    unsigned rows = 24, columns = 80;
    bool any() const {
        return standard_input == StreamKind::Terminal || standard_output == StreamKind::Terminal ||
               standard_error == StreamKind::Terminal;
    }
    bool operator==(const TerminalSpec&) const = default;
};

struct SessionSpec {
    std::string id;                        // session id, see identity.h
    std::string name;                      // display name
    std::vector<std::string> argv;         // the command; bytes, not necessarily UTF-8 (escaped on the wire)
    std::vector<std::string> environment;  // NAME=VALUE, complete: nothing else passes
    std::string workspace;                 // absolute real path, mounted read-write
    bool workspace_writable = true;
    std::string working_directory;         // inside the workspace
    std::string user;                      // login name shown inside (/etc/passwd)
    unsigned uid = 0, gid = 0;             // shown inside; rootless: the caller's own
    std::string home;                      // where the private home appears
    std::string kept_home;                 // …/homes/NAME, a home that sessions share; empty: one of the session's own
    std::string shell = "/bin/sh";
    std::string policy_name, policy_sha256;
    std::vector<std::string> require;      // layers that must hold, beside the basic ones
    std::vector<std::string> system;       // visible system paths, read-only; absent ones are left out, symlinks recreated
    std::vector<MountSpec> mounts;         // beside system, home and workspace
    std::vector<EgressRules> egress;
    std::optional<ProxySpec> proxy;
    SyscallSpec syscalls;
    LimitSpec limits;
    TerminalSpec terminal;
    bool detached = false;                 // outlives its client
    std::string state_folder;              // …/sessions/<id>, exists, mode 0700
    std::string runtime_folder;            // …/belljar/<id>, exists, mode 0700; holds session.sock
    bool operator==(const SessionSpec&) const = default;
};

// Init's copy: what the proxy wants to hear of the user is never in memory inside.
SessionSpec spec_for_inside(SessionSpec spec);
// The copy that is kept with the session: a password has no place on disk.
SessionSpec spec_for_disk(SessionSpec spec);

std::string to_json(const SessionSpec& spec);
Result<SessionSpec> parse_session_spec(std::string_view json);

// Bytes that are not UTF-8 (arguments, paths) as a JSON-safe string and back: 0x80…0xFF that do not form UTF-8, and the
// marker itself, become U+F700 + byte (a private-use range), so that every argument survives and stays readable.
std::string bytes_to_text(std::string_view bytes);
std::string text_to_bytes(std::string_view text);

} // namespace belljar
