// Who calls, and where their sessions lie: the first step of every command that touches a session.
#pragma once

#include "core/policy/policy.h"
#include "core/record/index.h"
#include "core/record/lifecycle.h"
#include "core/registries/user_files.h"
#include "core/session/identity.h"
#include "core/session/paths.h"

#include <nlohmann/json.hpp>
#include <string>

namespace belljar {

struct Place {
    Account account;
    Paths paths;
};

// As whoever runs us. A uid without a passwd entry (containers) is taken from HOME.
Result<Place> find_place();

std::vector<std::string> environment(); // one's own, NAME=VALUE

// The user's configuration, as far as no session can have written it: not in `workspace` (which may be empty), in what the
// policy makes writable, in what any session of the index could write, or in the folder where one stands.
Result<RegistrySources> registry_sources(const Policy& policy, const Place& place, const std::string& workspace);

// `--user NAME`. As root: becomes that user for good: groups (only its own one: no supplementary group's authority
// reaches a session), ids, dumpable again (prctl(2): otherwise /proc/self stays root's and no id map can be written),
// and the environment (HOME, USER, LOGNAME, SHELL; XDG_* removed). As somebody else: refused unless it is oneself. An
// empty name: nothing.
Status become_user(const std::string& name);

// A session by id, prefix or name, through the index.
Result<SessionRow> find_session(const Place& place, const std::string& id_or_name);

std::string state_word(SessionState state); // "running"
// The row as scripts read it (docs/cli.md).
nlohmann::ordered_json row_json(const SessionRow& row);

} // namespace belljar
