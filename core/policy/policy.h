// The policy: what a person wrote down that a session may do (docs/policy.md lists every key). Values only.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

struct Policy {
    std::string name;    // "default"; for a workspace's file its path
    std::string file;    // where it was read
    std::string sha256;  // hex, of the file's bytes; when narrowed, of the digests of both files, a line each
    std::vector<std::string> require;
    struct {
        std::vector<std::string> protect, unprotect;
        std::string home = "session";
        bool read_only = false, nested = false;
    } workspace;
    struct { std::vector<std::string> system, read, write, hide; } filesystem;
    std::vector<EgressRules> egress;   // one set per policy file that takes part
    std::vector<std::string> credentials_env;
    SyscallSpec syscalls;
    LimitSpec limits;
    std::vector<std::string> keys; // the dotted keys that the file itself sets ("egress.allow"), sorted
    bool sets(std::string_view dotted_key) const;
};

// What holds for every key that a file leaves out; the same as the built-in `default` policy (a test compares them).
// No name, file or digest.
Policy documented_defaults();
// The default of filesystem.system: programs, libraries, and of /etc what programs need and no secret is in. Without the files
// of /etc that the sandbox makes itself (passwd, group, hosts, resolv.conf, nsswitch.conf, hostname).
const std::vector<std::string>& default_system_paths();

// The layers that `require` may name. Those of the second list exist in the system helper only: a session that requires one
// of them does not start without it.
std::span<const std::string_view> layer_names();
std::span<const std::string_view> layers_of_the_system_helper();

// One thing that is wrong in a policy file. line and column start at 1; 0 when it has no place.
struct Diagnostic {
    std::string file;
    unsigned line = 0, column = 0;
    std::string message;     // "unknown key 'alow'"
    std::string suggestion;  // "did you mean 'allow'?"; may be empty
    std::string text() const; // file:line:column: message; suggestion
};

} // namespace belljar
