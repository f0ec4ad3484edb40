// One table per section of the file says which keys there are and what reads each; everything that is not in a table is
// an error. The file may come from a stranger's repository: it is held to a size before it comes here, toml++ limits
// its nesting, and the reader limits the number of diagnostics.
#include "core/policy/parse.h"

#include "core/egress/host_pattern.h"
#include "core/policy/digest.h"
#include "core/policy/document.h"
#include "core/policy/nearest.h"
#include "core/policy/reader.h"
#include "core/policy/registry_words.h"
#include "core/policy/values.h"
#include "core/syscalls/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace belljar {
namespace {

struct Key {
    std::string_view name;
    void (*read)(Reader&, const toml::node&);
    bool widens = false; // never in a workspace's policy
};

struct Section {
    std::string_view name;
    std::span<const Key> keys;
};

using Checked = Reader::Checked;

Result<Checked> one_of(std::string_view text, std::span<const std::string_view> names, std::string_view kind) {
    if (std::find(names.begin(), names.end(), text) != names.end())
        return Checked{std::string(text), std::string(text)};
    std::string next = nearest(text, names);
    return failure({}, fmt::format("no such {}", kind),
                   next.empty() ? fmt::format("there are: {}", fmt::join(names, ", ")) : next);
}

auto path_check(PathForm form, bool mountable) {
    return [form, mountable](const std::string& text) -> Result<Checked> {
        auto path = check_path(text, form);
        if (!path) return tl::unexpected(path.error());
        if (mountable)
            if (Status fit = check_mountable(*path); !fit) return tl::unexpected(fit.error());
        return Checked{*path, *path};
    };
}

// Two patterns are the same when they match the same, however they are written.
std::string sameness(const HostPattern& pattern) {
    return fmt::format("{} {} {}/{} {} {} {}", static_cast<int>(pattern.kind), pattern.name, pattern.network.text(),
                       pattern.prefix_length, static_cast<int>(pattern.ports), pattern.port, pattern.raw);
}

Result<Checked> check_word(const std::string& text) {
    if (Status known = check_registry_word(text); !known) return tl::unexpected(known.error());
    return Checked{text, text};
}

auto host_check(bool everything) {
    return [everything](const std::string& text) -> Result<Checked> {
        if (is_registry_word(text)) return check_word(text);
        const auto pattern = HostPattern::parse(text, everything);
        if (!pattern) return tl::unexpected(pattern.error());
        return Checked{text, sameness(*pattern)};
    };
}

Result<Checked> check_private(const std::string& text) {
    if (is_registry_word(text)) return check_word(text);
    const auto pattern = HostPattern::parse(text);
    if (!pattern) return tl::unexpected(pattern.error());
    if (pattern->kind == HostPattern::Kind::HostService)
        return failure({}, "the host's services are no names that resolve", "leave it out");
    if (pattern->ports != HostPattern::Ports::Web)
        return failure({}, "a port has no meaning here", "write the name or network alone");
    return Checked{text, sameness(*pattern)};
}

Result<Checked> check_syscall(const std::string& text) {
    if (syscall_number(text)) return Checked{text, text};
    std::vector<std::string_view> names;
    for (const SyscallEntry& entry : syscall_table())
        names.push_back(entry.name);
    return failure({}, "no such system call", nearest(text, names));
}

void read_limit_size(Reader& reader, const toml::node& node, std::uint64_t least, std::uint64_t most, auto store) {
    const auto text = reader.string(node, "a size such as \"4GiB\"");
    if (!text) return;
    const auto size = parse_size(*text);
    if (!size) return reader.error(node, *text, size.error());
    if (size && reader.in_range(node, *size, least, most)) store(*size);
}

EgressRules& egress(Reader& reader) {
    return reader.policy.egress.front();
}

constexpr std::string_view kFallbacks[] = {"deny", "ask", "observe"};
constexpr std::string_view kProfiles[] = {"default", "strict"};

constexpr Key kWorkspaceKeys[] = {
    {"protect",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.workspace.protect, path_check(PathForm::AlsoWorkspace, false));
     }},
    {"unprotect",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.workspace.unprotect, path_check(PathForm::AlsoWorkspace, false));
     },
     true},
    {"home",
     [](Reader& r, const toml::node& n) {
         const auto name = r.string(n, "\"session\" or a name");
         if (!name) return;
         constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
         if (name->empty() || name->size() > 64 || name->find_first_not_of(plain) != std::string::npos ||
             (*name)[0] == '-')
             return r.error(n, *name, Error{{}, "not a name for a kept home", "letters, digits, '-' and '_'"});
         r.policy.workspace.home = *name;
     }},
    {"read_only",
     [](Reader& r, const toml::node& n) {
         const auto* value = n.as_boolean();
         if (!value) return r.wrong_type(n, "true or false");
         r.policy.workspace.read_only = value->get();
     }},
    {"nested",
     [](Reader& r, const toml::node& n) {
         const auto* value = n.as_boolean();
         if (!value) return r.wrong_type(n, "true or false");
         if (r.origin == PolicyOrigin::Workspace && value->get())
             return r.error(n, "true", Error{{}, "a workspace's policy can only narrow", "write it in your own policy"});
         r.policy.workspace.nested = value->get();
     }},
};

constexpr Key kFilesystemKeys[] = {
    {"system",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.filesystem.system, path_check(PathForm::Absolute, true));
     }},
    {"read",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.filesystem.read, path_check(PathForm::AbsoluteOrHome, true));
     }},
    {"write",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.filesystem.write, path_check(PathForm::AbsoluteOrHome, true));
     },
     true},
    {"hide",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.filesystem.hide, path_check(PathForm::AlsoWorkspace, false));
     }},
};

// `default` stands first: whether "*" may be a pattern depends on it. Sections are read in the order of these tables.
constexpr Key kEgressKeys[] = {
    {"default",
     [](Reader& r, const toml::node& n) {
         const auto text = r.string(n);
         if (!text) return;
         const auto fallback = one_of(*text, kFallbacks, "default");
         if (!fallback) return r.error(n, *text, fallback.error());
         if (r.origin == PolicyOrigin::Workspace && *text != "deny")
             return r.error(n, *text,
                            Error{{}, "a workspace's policy can only narrow", "leave it out: \"deny\" is the default"});
         egress(r).fallback = *text;
     }},
    {"allow",
     [](Reader& r, const toml::node& n) { r.list(n, egress(r).allow, host_check(egress(r).fallback == "observe")); }},
    {"deny",
     [](Reader& r, const toml::node& n) { r.list(n, egress(r).deny, host_check(egress(r).fallback == "observe")); }},
    {"private", [](Reader& r, const toml::node& n) { r.list(n, egress(r).private_names, check_private); }},
};

constexpr Key kCredentialsKeys[] = {
    {"env",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.credentials_env, [](const std::string& name) -> Result<Checked> {
             if (Status fit = check_environment_name(name); !fit) return tl::unexpected(fit.error());
             return Checked{name, name};
         });
     }},
};

constexpr Key kSyscallsKeys[] = {
    {"profile",
     [](Reader& r, const toml::node& n) {
         const auto text = r.string(n);
         if (!text) return;
         if (text->find('/') != std::string::npos) {
             const auto path = check_path(*text, PathForm::AbsoluteOrHome);
             if (!path) return r.error(n, *text, path.error());
             r.policy.syscalls.profile = *path;
             return;
         }
         const auto profile = one_of(*text, kProfiles, "profile");
         if (!profile) return r.error(n, *text, profile.error());
         r.policy.syscalls.profile = *text;
     }},
    {"allow", [](Reader& r, const toml::node& n) { r.list(n, r.policy.syscalls.allow, check_syscall); }},
    {"deny", [](Reader& r, const toml::node& n) { r.list(n, r.policy.syscalls.deny, check_syscall); }},
};

constexpr Key kLimitsKeys[] = {
    {"memory",
     [](Reader& r, const toml::node& n) {
         read_limit_size(r, n, 16ull << 20, 1ull << 50,
                         [&](std::uint64_t size) { r.policy.limits.memory_bytes = size; });
     }},
    {"processes",
     [](Reader& r, const toml::node& n) {
         if (const auto number = r.integer(n, 1, 1u << 22)) r.policy.limits.processes = *number;
     }},
    {"open_files",
     [](Reader& r, const toml::node& n) {
         if (const auto number = r.integer(n, 64, 1u << 20)) r.policy.limits.open_files = *number;
     }},
    {"cpus",
     [](Reader& r, const toml::node& n) {
         const auto number = n.value<double>();
         if (!number || !n.is_number()) return r.wrong_type(n, "a number");
         if (r.in_range(n, *number, 0.01, 4096.0)) r.policy.limits.cpus = *number;
     }},
    {"scratch",
     [](Reader& r, const toml::node& n) {
         read_limit_size(r, n, 1ull << 20, 1ull << 50,
                         [&](std::uint64_t size) { r.policy.limits.scratch_bytes = size; });
     }},
    {"duration",
     [](Reader& r, const toml::node& n) {
         const auto text = r.string(n, "a duration such as \"8h\"");
         if (!text) return;
         const auto seconds = parse_duration(*text);
         if (!seconds) return r.error(n, *text, seconds.error());
         if (r.in_range(n, *seconds, 1, std::uint64_t{366} * 86400)) r.policy.limits.duration_seconds = *seconds;
     }},
};

void read_keys(Reader& reader, const toml::node& node, const Section& section);

constexpr Section kWorkspace{"workspace", kWorkspaceKeys}, kFilesystem{"filesystem", kFilesystemKeys},
    kEgress{"egress", kEgressKeys}, kCredentials{"credentials", kCredentialsKeys}, kSyscalls{"syscalls", kSyscallsKeys},
    kLimits{"limits", kLimitsKeys};
constexpr const Section* kSections[] = {&kWorkspace, &kFilesystem, &kEgress, &kCredentials, &kSyscalls, &kLimits};

constexpr Key kRootKeys[] = {
    {"version",
     [](Reader& r, const toml::node& n) {
         const auto* number = n.as_integer();
         if (!number) return r.wrong_type(n, "an integer");
         if (number->get() != 1)
             r.error(n, fmt::format("{} is not a version that is known", number->get()),
                     "this Belljar reads version = 1");
     }},
    {"require",
     [](Reader& r, const toml::node& n) {
         r.list(n, r.policy.require, [](const std::string& name) { return one_of(name, layer_names(), "layer"); });
     }},
    {"workspace", [](Reader& r, const toml::node& n) { read_keys(r, n, kWorkspace); }},
    {"filesystem", [](Reader& r, const toml::node& n) { read_keys(r, n, kFilesystem); }},
    {"egress", [](Reader& r, const toml::node& n) { read_keys(r, n, kEgress); }},
    {"credentials", [](Reader& r, const toml::node& n) { read_keys(r, n, kCredentials); }},
    {"syscalls", [](Reader& r, const toml::node& n) { read_keys(r, n, kSyscalls); }},
    {"limits", [](Reader& r, const toml::node& n) { read_keys(r, n, kLimits); }},
};

void report_unknown(Reader& reader, const toml::key& found, std::string_view where, std::span<const Key> known) {
    std::vector<std::string_view> names;
    for (const Key& one : known)
        names.push_back(one.name);
    std::string suggestion = nearest(found.str(), names);
    for (const Section* section : kSections) // the right key in the wrong section
        for (const Key& one : section->keys)
            if (suggestion.empty() && one.name == found.str() && section->name != where)
                suggestion = fmt::format("did you mean '{}.{}'?", section->name, one.name);
    for (const Key& one : kRootKeys)
        if (suggestion.empty() && one.name == found.str())
            suggestion = fmt::format("'{}' stands at the top of the file, before the first [section]", one.name);
    if (suggestion.empty()) suggestion = fmt::format("there are: {}", fmt::join(names, ", "));
    const std::string in = where.empty() ? "" : fmt::format(" in [{}]", where);
    reader.error(found.source(), fmt::format("unknown key '{}'{}", visible(found.str().substr(0, 100)), in),
                 std::move(suggestion));
}

void report_unknown_keys(Reader& reader, const toml::table& table, std::string_view where, std::span<const Key> known) {
    for (const auto& [found, value] : table)
        if (!reader.enough() && std::none_of(known.begin(), known.end(), [&, &found = found](const Key& one) {
                return one.name == found.str();
            }))
            report_unknown(reader, found, where, known);
}

void read_keys(Reader& reader, const toml::node& node, const Section& section) {
    const toml::table* table = node.as_table();
    if (!table) return reader.wrong_type(node, "a table");
    report_unknown_keys(reader, *table, section.name, section.keys);
    for (const Key& one : section.keys) {
        const toml::node* value = table->get(one.name);
        if (!value) continue;
        reader.key = fmt::format("{}.{}", section.name, one.name);
        if (one.widens && reader.origin == PolicyOrigin::Workspace) {
            reader.error(*value, "a workspace's policy can only narrow", "write it in your own policy");
            continue;
        }
        reader.policy.keys.push_back(reader.key);
        one.read(reader, *value);
    }
}

void read_root(Reader& reader, const toml::table& table) {
    report_unknown_keys(reader, table, {}, kRootKeys);
    for (const Key& one : kRootKeys) {
        const toml::node* value = table.get(one.name);
        if (!value) continue;
        reader.key = one.name;
        if (!value->is_table()) reader.policy.keys.push_back(reader.key);
        one.read(reader, *value);
    }
    if (!table.contains("version"))
        reader.error({{1, 1}, {1, 1}, {}}, "version is missing", "write version = 1 at the top of the file");
    // What read and write both name is neither.
    const auto& write = reader.policy.filesystem.write;
    for (const std::string& path : reader.policy.filesystem.read)
        if (std::find(write.begin(), write.end(), path) != write.end())
            reader.error(table.get("filesystem")->source(),
                         fmt::format("'{}' is both in filesystem.read and in filesystem.write", path));
}

} // namespace

tl::expected<Policy, Diagnostics> parse_policy(std::string_view text, const std::string& file, const std::string& name,
                                               PolicyOrigin origin) {
    Policy policy = documented_defaults();
    policy.name = bytes_to_text(name); // a file may have any name, and this one goes into the record
    policy.file = file;
    policy.sha256 = sha256_hex(text);
    policy.egress.push_back(EgressRules{policy.name, "deny", {}, {}, {}});

    const auto document = read_document(text, file);
    if (!document) return tl::unexpected(Diagnostics{document.error()});
    Reader reader(file, origin, policy);
    read_root(reader, *document);
    Diagnostics diagnostics = reader.take();
    if (!diagnostics.empty()) return tl::unexpected(std::move(diagnostics));
    std::sort(policy.keys.begin(), policy.keys.end());
    // A workspace's file that says nothing of egress is no set of rules: an empty one would allow nothing.
    if (origin == PolicyOrigin::Workspace && !policy.sets("egress.allow") && !policy.sets("egress.deny") &&
        !policy.sets("egress.private"))
        policy.egress.clear();
    return policy;
}

} // namespace belljar
