// A workspace's policy comes with the repository: from anyone. It is held against the user's own, key by key, and only
// what is narrower is taken. Where a comparison is not possible the user's value stays.
#include "core/egress/address_class.h"
#include "core/egress/host_pattern.h"
#include "core/egress/rule_list.h"
#include "core/policy/digest.h"
#include "core/policy/parse.h"
#include "core/policy/values.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace belljar {
namespace {

using Strings = std::vector<std::string>;

bool holds(const Strings& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

void unite(Strings& mine, const Strings& theirs) {
    std::unordered_set<std::string> seen(mine.begin(), mine.end());
    for (const std::string& text : theirs)
        if (seen.insert(text).second) mine.push_back(text);
}

// What both lists cover. covers(wide, narrow) says whether one entry holds all of another; missed(entry) is told each
// of `theirs` that nothing of `mine` meets.
template <class Covers, class Missed>
Strings meet(const Strings& mine, const Strings& theirs, Covers covers, Missed missed) {
    Strings both;
    for (const std::string& asked : theirs) {
        if (std::any_of(mine.begin(), mine.end(), [&](const std::string& own) { return covers(own, asked); }))
            both.push_back(asked);
        else if (std::none_of(mine.begin(), mine.end(), [&](const std::string& own) { return covers(asked, own); }))
            missed(asked);
    }
    for (const std::string& own : mine)
        if (!holds(both, own) &&
            std::any_of(theirs.begin(), theirs.end(), [&](const std::string& asked) { return covers(asked, own); }))
            both.push_back(own);
    return both;
}

bool same(const std::string& one, const std::string& other) {
    return one == other;
}
bool covers_path(const std::string& folder, const std::string& path) {
    return lies_in(path, folder);
}

bool covers_port(const HostPattern& wide, const HostPattern& narrow) {
    using Ports = HostPattern::Ports;
    switch (narrow.ports) {
    case Ports::One:
        return wide.matches_port(narrow.port);
    case Ports::Any:
        return wide.ports == Ports::Any;
    case Ports::Web:
        return wide.ports != Ports::One;
    }
    return false;
}

bool covers_target(const HostPattern& wide, const HostPattern& narrow) {
    using Kind = HostPattern::Kind;
    switch (narrow.kind) {
    case Kind::Name:
        return wide.matches_name(narrow.name);
    case Kind::Subdomains:
        return wide.kind == Kind::Everything ||
               (wide.kind == Kind::Subdomains && (wide.name == narrow.name || wide.matches_name(narrow.name)));
    case Kind::Network:
        return wide.kind == Kind::Everything ||
               (wide.kind == Kind::Network && wide.prefix_length <= narrow.prefix_length &&
                in_network(narrow.network, wide.network, wide.prefix_length));
    case Kind::HostService:
        return wide.kind == Kind::HostService;
    case Kind::Everything:
        return wide.kind == Kind::Everything;
    }
    return false;
}

// Both texts were parsed when their files were read; one that no longer parses covers nothing. A word covers itself.
bool covers_host(const std::string& wide_text, const std::string& narrow_text) {
    if (is_registry_word(wide_text) || is_registry_word(narrow_text)) return wide_text == narrow_text;
    const auto wide = HostPattern::parse(wide_text, true), narrow = HostPattern::parse(narrow_text, true);
    return wide && narrow && covers_target(*wide, *narrow) && covers_port(*wide, *narrow);
}

// The hosts of a list, asked by hash whether they hold all of a pattern: either list may have 100,000.
class Hosts {
public:
    explicit Hosts(const Strings& texts) : texts_(texts.begin(), texts.end()) {
        std::vector<HostPattern> patterns;
        for (const std::string& text : texts)
            if (auto pattern = HostPattern::parse(text, true)) patterns.push_back(std::move(*pattern));
        rules_ = RuleList(std::move(patterns));
    }

    bool cover(const std::string& text) const {
        if (texts_.contains(text)) return true;
        const auto narrow = HostPattern::parse(text, true);
        if (!narrow) return false;
        const RuleList::Hits hits = near(*narrow);
        return std::any_of(hits.begin(), hits.end(), [&](const HostPattern* wide) {
            return covers_target(*wide, *narrow) && covers_port(*wide, *narrow);
        });
    }

private:
    RuleList::Hits near(const HostPattern& narrow) const {
        using Kind = HostPattern::Kind;
        switch (narrow.kind) {
        case Kind::Name:
            return rules_.holding_name(narrow.name);
        case Kind::Subdomains: // what holds one name below it, and perhaps all
            return rules_.holding_name("a." + narrow.name);
        case Kind::Network:
            return rules_.holding_address(narrow.network);
        case Kind::HostService:
            return rules_.host_services();
        case Kind::Everything:
            return rules_.holding_name("a");
        }
        return {};
    }

    std::unordered_set<std::string> texts_;
    RuleList rules_;
};

class Narrowing {
public:
    Narrowing(Policy& policy, const Policy& workspace, Strings& notes, std::span<const RegistryMeaning> meanings,
              const Strings& extra_allow)
        : policy_(policy), workspace_(workspace), notes_(notes), meanings_(meanings), extra_allow_(extra_allow) {}

    void run() {
        unite(policy_.require, workspace_.require);
        unite(policy_.workspace.protect, workspace_.workspace.protect);
        unite(policy_.filesystem.hide, workspace_.filesystem.hide);
        unite(policy_.syscalls.deny, workspace_.syscalls.deny);
        narrow_list("filesystem.system", policy_.filesystem.system, workspace_.filesystem.system, covers_path);
        narrow_list("filesystem.read", policy_.filesystem.read, workspace_.filesystem.read, covers_path);
        narrow_list("credentials.env", policy_.credentials_env, workspace_.credentials_env, same);
        home();
        if (workspace_.sets("workspace.nested") && !workspace_.workspace.nested) policy_.workspace.nested = false;
        read_only();
        egress();
        syscalls();
        limits();
    }

private:
    void missed(std::string_view key, std::string_view asked, std::string_view kept = {}) {
        notes_.push_back(
            visible(fmt::format("{} asks for {} = '{}', which your policy does not allow{}", workspace_.name, key,
                                asked, kept.empty() ? "" : fmt::format(": {} holds", kept))));
    }

    template <class Covers>
    void narrow_list(std::string_view key, Strings& mine, const Strings& theirs, Covers covers) {
        if (workspace_.sets(key))
            mine = meet(mine, theirs, covers, [&](const std::string& asked) { missed(key, asked); });
    }

    void home() {
        const std::string &asked = workspace_.workspace.home, &mine = policy_.workspace.home;
        if (!workspace_.sets("workspace.home") || asked == mine) return;
        if (asked == "session")
            policy_.workspace.home = asked;
        else
            missed("workspace.home", asked, mine);
    }

    void read_only() {
        if (!workspace_.sets("workspace.read_only")) return;
        if (workspace_.workspace.read_only)
            policy_.workspace.read_only = true;
        else if (policy_.workspace.read_only)
            missed("workspace.read_only", "false", "true");
    }

    void egress() {
        if (workspace_.egress.empty()) return;
        const EgressRules& theirs = workspace_.egress.front();
        if (workspace_.sets("egress.allow")) {
            // A further set: what it does not allow is not allowed. What may be private is the user's to say.
            EgressRules set = theirs;
            Strings mine = extra_allow_, listed;
            for (const EgressRules& rules : policy_.egress)
                unite(mine, rules.allow);
            for (const RegistryMeaning& meaning : meanings_)
                if (holds(mine, meaning.word)) unite(mine, meaning.hosts);
            const Hosts covered(mine);
            // A word that only the workspace has is dropped: nobody has looked up what it stands for.
            std::erase_if(set.allow, [&](const std::string& asked) {
                if (covered.cover(asked)) return false;
                missed("egress.allow", asked);
                return is_registry_word(asked);
            });
            for (const EgressRules& rules : policy_.egress)
                unite(listed, rules.private_names);
            set.private_names = workspace_.sets("egress.private") ? meet_private(listed) : listed;
            policy_.egress.push_back(std::move(set));
            return;
        }
        for (EgressRules& rules : policy_.egress) {
            unite(rules.deny, theirs.deny);
            if (workspace_.sets("egress.private")) rules.private_names = meet_private(rules.private_names);
        }
    }

    Strings meet_private(const Strings& mine) {
        return meet(mine, workspace_.egress.front().private_names, covers_host,
                    [&](const std::string& asked) { missed("egress.private", asked); });
    }

    void syscalls() {
        SyscallSpec& mine = policy_.syscalls;
        const SyscallSpec& theirs = workspace_.syscalls;
        if (workspace_.sets("syscalls.profile") && theirs.profile != mine.profile) {
            if (theirs.profile == "strict" && mine.profile == "default")
                mine.profile = theirs.profile;
            else
                missed("syscalls.profile", theirs.profile, mine.profile);
        }
        narrow_list("syscalls.allow", mine.allow, theirs.allow, same);
    }

    template <class T>
    void smaller(std::string_view key, std::optional<T> theirs, auto& mine) {
        if (!workspace_.sets(key) || !theirs) return;
        const std::optional<T> own = mine;
        if (own && *theirs > *own)
            missed(key, fmt::format("{}", *theirs), fmt::format("{}", *own));
        else
            mine = *theirs;
    }

    void limits() {
        LimitSpec& mine = policy_.limits;
        const LimitSpec& theirs = workspace_.limits;
        smaller<std::uint64_t>("limits.memory", theirs.memory_bytes, mine.memory_bytes);
        smaller<std::uint64_t>("limits.processes", theirs.processes, mine.processes);
        smaller<std::uint64_t>("limits.open_files", theirs.open_files, mine.open_files);
        smaller<double>("limits.cpus", theirs.cpus, mine.cpus);
        smaller<std::uint64_t>("limits.scratch", theirs.scratch_bytes, mine.scratch_bytes);
        smaller<std::uint64_t>("limits.duration", theirs.duration_seconds, mine.duration_seconds);
    }

    Policy& policy_;
    const Policy& workspace_;
    Strings& notes_;
    std::span<const RegistryMeaning> meanings_;
    const Strings& extra_allow_;
};

} // namespace

Policy narrow(const Policy& policy, const Policy& workspace, std::vector<std::string>& notes,
              std::span<const RegistryMeaning> meanings, const std::vector<std::string>& extra_allow) {
    Policy narrowed = policy;
    Narrowing(narrowed, workspace, notes, meanings, extra_allow).run();
    narrowed.name = policy.name + " + " + workspace.name;
    narrowed.sha256 = sha256_hex(policy.sha256 + "\n" + workspace.sha256 + "\n");
    unite(narrowed.keys, workspace.keys);
    std::sort(narrowed.keys.begin(), narrowed.keys.end());
    return narrowed;
}

} // namespace belljar
