// A policy as it takes effect, defaults included: as TOML that could be loaded again, and as JSON.
#pragma once

#include "core/policy/policy.h"

#include <nlohmann/json.hpp>
#include <string>

namespace belljar::cli {

std::string policy_toml(const Policy& policy);
nlohmann::ordered_json policy_json(const Policy& policy);

} // namespace belljar::cli
