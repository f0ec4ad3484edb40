// The policy: what a person wrote down that a session may do (docs/policy.md lists every key). Values only.
#pragma once

#include "core/session/spec.h"
#include "core/system/error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belljar {

struct Policy {
    std::string name;    // "default"; for a workspace's file its path
    std::string file;    // where it was read
    std::string sha256;  // hex, of the file's bytes (of all files, when narrowed)
    std::vector<std::string> require;
    struct { std::vector<std::string> protect, unprotect; std::string home = "session"; } workspace;
    struct { std::vector<std::string> system, read, write, hide; } filesystem;
    std::vector<EgressRules> egress;   // one set per policy file that takes part
    std::vector<std::string> credentials_env;
    SyscallSpec syscalls;
    LimitSpec limits;
};

// One thing that is wrong in a policy file. line and column start at 1; 0 when it has no place.
struct Diagnostic {
    std::string file;
    unsigned line = 0, column = 0;
    std::string message;     // "unknown key 'alow'"
    std::string suggestion;  // "did you mean 'allow'?"; may be empty
    std::string text() const; // file:line:column: message; suggestion
};

} // namespace belljar
