// `belljar policy list | show | check`.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/policy_text.h"
#include "app/client/place.h"
#include "core/policy/parse.h"
#include "core/policy/spec_from_policy.h"
#include "core/registries/meaning.h"
#include "core/system/files.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace belljar::cli {
namespace {

Json to_json(const Diagnostics& diagnostics) {
    Json out = Json::array();
    for (const Diagnostic& diagnostic : diagnostics)
        out.push_back({{"file", diagnostic.file},
                       {"line", diagnostic.line},
                       {"column", diagnostic.column},
                       {"message", diagnostic.message},
                       {"suggestion", diagnostic.suggestion}});
    return out;
}

int refuse(const Error& error) {
    complain(error);
    return kFailed;
}

int list(bool json) {
    const auto place = find_place();
    if (!place) return refuse(place.error());
    const auto policies = list_policies(place->paths.config);
    if (json) {
        Json out = Json::array();
        for (const PolicyListing& policy : policies)
            out.push_back(
                {{"name", policy.name}, {"file", policy.file}, {"origin", policy.origin}, {"summary", policy.summary}});
        print_json(out);
        return 0;
    }
    std::vector<std::vector<Cell>> rows;
    for (const PolicyListing& policy : policies)
        rows.push_back({{policy.name, Tint::Bold}, {policy.origin}, {policy.summary}, {policy.file, Tint::Dim}});
    print(table({"NAME", "ORIGIN", "SUMMARY", "FILE"}, rows, wants_colour(STDOUT_FILENO)));
    return 0;
}

// Multi-line text that may hold what a file's author wrote: each line made visible.
std::string visible_lines(const std::string& text) {
    std::string out;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        out += visible(std::string_view(text).substr(start, end - start)) + "\n";
        start = end + 1;
    }
    return out;
}

// Each registry word of a policy, and what it stands for right now.
struct WordMeaning {
    std::string word;
    Result<RegistryMeaning> meaning;
};

std::vector<WordMeaning> look_up(const Policy& policy, const Place& place) {
    std::vector<WordMeaning> meanings;
    const std::vector<std::string> words = registry_words_of(policy, {});
    if (words.empty()) return meanings;
    const auto sources = registry_sources(policy, place, {});
    for (const std::string& word : words)
        meanings.push_back({word, sources ? find_registry(word, *sources) : tl::unexpected(sources.error())});
    return meanings;
}

Json meanings_json(const std::vector<WordMeaning>& meanings) {
    Json out = Json::array();
    for (const WordMeaning& one : meanings) {
        if (one.meaning)
            out.push_back({{"word", one.word},
                           {"hosts", one.meaning->hosts},
                           {"sources", one.meaning->sources},
                           {"environment", one.meaning->environment}});
        else
            out.push_back({{"word", one.word}, {"error", one.meaning.error().message()}});
    }
    return out;
}

std::string meanings_text(const std::vector<WordMeaning>& meanings) {
    std::string out;
    for (const WordMeaning& one : meanings) {
        if (out.empty()) out = "\n# What the words stand for right now:\n";
        if (!one.meaning) {
            out += "# " + one.meaning.error().message() + "\n";
            continue;
        }
        out += fmt::format("# \"{}\": {} ({})\n", one.word, fmt::join(one.meaning->hosts, ", "),
                           fmt::join(one.meaning->sources, ", "));
        for (const std::string& entry : one.meaning->environment)
            out += "#     inside: " + entry + "\n";
    }
    return out;
}

int show(const std::string& name, bool json) {
    const auto place = find_place();
    if (!place) return refuse(place.error());
    const auto policy = load_policy(name, place->paths.config);
    if (!policy) {
        if (json) print_json({{"errors", to_json(policy.error())}});
        for (const Diagnostic& diagnostic : policy.error())
            say(diagnostic.text());
        return kFailed;
    }
    const auto meanings = look_up(*policy, *place);
    if (json) {
        Json out = policy_json(*policy);
        out["registries"] = meanings_json(meanings);
        print_json(out);
    } else {
        print(visible_lines(policy_toml(*policy) + meanings_text(meanings)));
    }
    return 0;
}

struct CheckOptions {
    std::vector<std::string> files;
    bool workspace = false, json = false;
};

// The folder whose workspace policy `file` is by its name.
std::optional<std::string> workspace_of(const std::string& file) {
    if (file == kWorkspacePolicyFile) return ".";
    const std::string folder = file.substr(0, file.size() - std::string_view(kWorkspacePolicyFile).size());
    if (!file.ends_with(kWorkspacePolicyFile) || !folder.ends_with('/')) return std::nullopt;
    return folder;
}

Diagnostics check_file(const std::string& file, bool workspace) {
    const auto folder = workspace_of(file);
    const auto text = folder ? read_file_below(*folder, kWorkspacePolicyFile, kLargestWorkspacePolicy) // as a run does
                             : read_file(file, kLargestPolicy);
    if (!text)
        return {Diagnostic{file, 0, 0, text.error().why,
                           folder ? "a workspace's policy is a file of its own"
                                  : "`belljar policy list` says where policies are"}};
    const auto policy =
        parse_policy(*text, file, file, workspace || folder ? PolicyOrigin::Workspace : PolicyOrigin::User);
    return policy ? Diagnostics() : policy.error();
}

int check(const CheckOptions& options) {
    int status = 0;
    Json all = Json::array();
    for (const std::string& file : options.files) {
        const Diagnostics diagnostics = check_file(file, options.workspace);
        if (!diagnostics.empty()) status = kFailed;
        all.push_back({{"file", file}, {"valid", diagnostics.empty()}, {"errors", to_json(diagnostics)}});
        if (options.json) continue;
        for (const Diagnostic& diagnostic : diagnostics)
            print(visible(diagnostic.text()) + "\n");
        if (diagnostics.empty())
            print(visible(file) + ": " + tinted("valid", Tint::Good, wants_colour(STDOUT_FILENO)) + "\n");
    }
    if (options.json) print_json(all);
    return status;
}

} // namespace

Action declare_policy_list(Options& options) {
    auto json = std::make_shared<bool>(false);
    options.flag("--json", *json, "A JSON array");
    return [json] { return list(*json); };
}

Action declare_policy_show(Options& options) {
    struct Chosen {
        std::string name;
        bool json = false;
    };
    auto chosen = std::make_shared<Chosen>();
    options.positional("POLICY", chosen->name, ValueKind::Policy,
                       "A policy's name, or a file (with a '/' or ending in .toml)");
    options.flag("--json", chosen->json, "A JSON object");
    return [chosen] { return show(chosen->name, chosen->json); };
}

Action declare_policy_check(Options& options) {
    auto chosen = std::make_shared<CheckOptions>();
    options.positionals("FILE", chosen->files, ValueKind::File, "Policy files");
    options.flag("--workspace", chosen->workspace, "Check as a workspace's policy, which may only narrow");
    options.flag("--json", chosen->json, "A JSON array, one object for each file");
    return [chosen] { return check(*chosen); };
}

} // namespace belljar::cli
