// What the registry words of a policy stand for, on this machine and for this user, now. Read from the tools' own configuration
// files and variables; where these say nothing, the tool is asked for its default. No host is known here, and a workspace's
// files are never looked at.
#pragma once

#include "core/policy/registry_words.h"
#include "core/registries/user_files.h"

namespace belljar {

// An Error says in one line that nothing could be learnt, or what is odd, and what to write where.
Result<RegistryMeaning> find_registry(const std::string& word, const RegistrySources& sources);
Result<std::vector<RegistryMeaning>> find_registries(const std::vector<std::string>& words, const RegistrySources& sources);

} // namespace belljar
