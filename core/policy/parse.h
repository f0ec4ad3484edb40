// Reads policy files: TOML (toml.io v1.0), strict. Every error of a file is reported, not only the first.
#pragma once

#include "core/policy/policy.h"
#include "core/policy/registry_words.h"

#include <optional>
#include <string_view>
#include <tl/expected.hpp>

namespace belljar {

inline constexpr std::size_t kLargestPolicy = 8u << 20; // bytes of a file: some 200,000 hosts
inline constexpr std::size_t kLargestWorkspacePolicy = 1u << 20;

// A workspace's policy can only narrow; keys that could widen (unprotect, write, egress.default other than "deny") are errors there.
enum class PolicyOrigin { BuiltIn, User, Workspace };

using Diagnostics = std::vector<Diagnostic>;

// `key absent` keeps the default of the built-in `default` policy: parse starts from `Policy{}` filled with the documented defaults.
tl::expected<Policy, Diagnostics> parse_policy(std::string_view toml, const std::string& file, const std::string& name, PolicyOrigin origin);
// Finds NAME among the user's (config/policies/NAME.toml), then the built-in ones; a NAME with a '/' or ending in .toml is a path.
tl::expected<Policy, Diagnostics> load_policy(const std::string& name, const std::string& config_folder);
inline constexpr const char* kWorkspacePolicyFile = ".belljar/policy.toml";
// That of `workspace`, nullopt where there is none. Whoever writes the workspace chooses its content, so a link
// there is not followed: an error would show a line of the file that it leads to.
tl::expected<std::optional<Policy>, Diagnostics> load_workspace_policy(const std::string& workspace);
// What the session may do when both apply: never more than `policy` alone (sets of egress rules are joined, lists intersected,
// limits the smaller, denials united). A key that the workspace's file leaves out narrows nothing. `notes` gets a sentence for
// each thing the workspace asked for and did not get. A registry word holds where both name it; `meanings` are those of the
// user's words, so that a host which one of them stands for may be named by the workspace. `extra_allow` (--allow) is the user's
// own too: it is added to the rules later, and counts as allowed here.
Policy narrow(const Policy& policy, const Policy& workspace, std::vector<std::string>& notes,
              std::span<const RegistryMeaning> meanings = {}, const std::vector<std::string>& extra_allow = {});

struct PolicyListing { std::string name, file, origin, summary; }; // summary: the first comment line of the file
std::vector<PolicyListing> list_policies(const std::string& config_folder);

} // namespace belljar
