// The URL of a registry, as tools write it in their configuration: which host pattern it stands for, and the URL again without
// what must not go into a session (user name, password, token).
#pragma once

#include "core/system/error.h"

#include <string>
#include <string_view>

namespace belljar {

struct RegistryAddress {
    std::string host; // a host pattern: "registry.example", "registry.example:4873", "host:4873" for this machine's loopback
    std::string url;  // as given, without credentials, query and fragment
};

// "https://user:pw@registry.example:4873/path/" and the same with http, behind "sparse+", or with no scheme at all
// ("registry.example/path", as Go takes it, where `bare` says so). An Error for every other scheme, for what is no host, and for
// control characters. Errors carry no credentials.
Result<RegistryAddress> parse_registry_address(std::string_view text, bool bare = false);

} // namespace belljar
