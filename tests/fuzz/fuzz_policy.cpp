#include "core/policy/parse.h"
#include "fuzz.h"

using namespace belljar;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const PolicyOrigin origin = bytes[0] % 3 == 0   ? PolicyOrigin::BuiltIn
                                : bytes[0] % 3 == 1 ? PolicyOrigin::User
                                                    : PolicyOrigin::Workspace;
    const auto policy = parse_policy(fuzz::text_of(bytes + 1, size - 1), "policy.toml", "fuzzed", origin);
    if (!policy) {
        fuzz::require(!policy.error().empty(), "what fails says why");
        for (const Diagnostic& each : policy.error())
            fuzz::require(!each.text().empty(), "each error has a text");
    } else if (origin == PolicyOrigin::Workspace) {
        fuzz::require(policy->workspace.unprotect.empty() && policy->filesystem.write.empty(),
                      "a workspace's policy cannot widen");
    }
    return 0;
}
