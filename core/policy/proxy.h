// The host's proxy, as its environment names it: HTTPS_PROXY (or https_proxy) and NO_PROXY, and the certificate
// authorities that its programs are told to trust. Inside none of the proxy's settings is needed: the door is what uses it.
#pragma once

#include "core/policy/policy.h"

#include <optional>
#include <string>
#include <vector>

namespace belljar {

// Of NAME=VALUE entries. nullopt where none is set. An Error for what is no "http://[USER[:PASSWORD]@]HOST[:PORT]":
// a session never goes another way than the one that was meant.
Result<std::optional<ProxySpec>> proxy_from_environment(const std::vector<std::string>& environment);

// The variables by which programs are told of further certificate authorities (SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, …), as
// far as they name a file that is there. A network whose proxy looks into TLS needs them.
struct AuthorityVariable {
    std::string name, path;
};
std::vector<AuthorityVariable> authority_variables(const std::vector<std::string>& environment);

} // namespace belljar
