// The environment of a session, built from nothing: only what is named here or by a person passes (no credentials
// inside).
#pragma once

#include "core/policy/spec_from_policy.h"

#include <string>
#include <vector>

namespace belljar {

// NAME=VALUE, sorted by name. PATH, TERM, COLORTERM, LANG, LC_*, TZ, and what credentials.env and --env name, as the
// launcher has them (what it does not have is left out; PATH has a default); HOME, USER, LOGNAME, SHELL, PWD, TMPDIR
// made new.
Result<std::vector<std::string>> session_environment(const Policy& policy, const SessionRequest& request,
                                                     const std::string& home, const std::string& shell);

} // namespace belljar
