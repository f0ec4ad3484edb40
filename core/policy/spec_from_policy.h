// The step policy → spec: a pure function over the policy, the request and what the client knows of the machine.
#pragma once

#include "core/policy/policy.h"
#include "core/policy/registry_words.h"
#include "core/session/identity.h"

#include <string>
#include <vector>

namespace belljar {

struct SessionRequest {
    std::string id, name;
    std::vector<std::string> argv;
    std::string workspace;          // absolute, real, checked (see check_workspace)
    std::string working_directory;
    std::vector<std::string> extra_allow, extra_env, extra_read; // --allow, --env, --read
    std::vector<std::string> environment;   // the launcher's own, NAME=VALUE: only what the policy names is taken
    std::vector<RegistryMeaning> registries; // what the registry words of policy and --allow stand for (core/registries)
    Account account;
    std::optional<ProxySpec> proxy;         // the host's (core/policy/proxy.h); not used where nothing may be reached
    TerminalSpec terminal;
    bool detached = false;
    std::string state_folder, runtime_folder;
    std::string homes_folder; // where kept homes lie
};

// The registry words that must have a meaning before a spec can be made: all of the user's own (--allow included), and what a
// workspace's policy denies. What only a workspace's policy allows is not looked up: it would not be given.
std::vector<std::string> registry_words_of(const Policy& policy, const std::vector<std::string>& extra_allow,
                                           const Policy* workspace = nullptr);

// Environment: PATH, TERM, COLORTERM, LANG, LC_*, TZ and what credentials.env and --env name, plus HOME, USER, LOGNAME, SHELL,
// PWD, TMPDIR made new, and what tells the tools of the registry words that are allowed. "ask" and "observe" as egress.default, an OCI profile path, and other keys that no mechanism stands
// behind yet are an Error that says so: a session never starts with less than its policy says.
Result<SessionSpec> make_session_spec(const Policy& policy, const SessionRequest& request);

// Whether some host could be reached at all.
bool reaches_anything(const Policy& policy, const SessionRequest& request);

// Refuses as a workspace: what does not exist or is no folder, "/", a system folder, the home itself or a parent of it, whatever holds
// Belljar's own state, runtime or config folders, and what the user does not own. Returns the real path.
Result<std::string> check_workspace(const std::string& path, const Account& account, const std::vector<std::string>& own_folders);
// Of one that is to be writable: an Error where it lies on a file system that is mounted read-only.
Status check_workspace_writable(const std::string& workspace);

} // namespace belljar
