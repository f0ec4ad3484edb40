// What the shell offers next. The completion scripts of bash, zsh and fish only ask `belljar __complete WORD…` and show
// the answer, so that no list of options exists twice. It must be quick and silent: an error is an empty answer.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/client/kept_homes.h"
#include "app/client/session_client.h"
#include "core/policy/parse.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace belljar::cli {
namespace {

class Candidates {
public:
    explicit Candidates(std::string begun) : begun_(std::move(begun)) {}
    void add(const std::string& word, std::string_view help = {}) {
        if (!word.starts_with(begun_) || visible(word) != word || !seen_.insert(word).second) return;
        out_ += word;
        if (!help.empty()) out_ += "\t" + visible(help.substr(0, help.find('\n')));
        out_ += "\n";
    }
    void ask_shell(std::string_view directive) { out_ += std::string(directive) + "\n"; }
    const std::string& text() const { return out_; }

private:
    std::string begun_, out_;
    std::set<std::string> seen_;
};

void add_sessions(Candidates& candidates) {
    const auto place = find_place();
    if (!place) return;
    auto index = SessionIndex::open(place->paths);
    if (!index) return;
    const auto rows = index->list();
    if (!rows) return;
    for (const SessionRow& row : *rows) {
        const std::string help = state_word(row.state) + ": " + row.command;
        if (row.name.find_first_of(" \t\n:'\"\\") == std::string::npos) candidates.add(row.name, help);
        candidates.add(row.id, row.name + ", " + help);
    }
}

void add_connections(Candidates& candidates, const std::vector<std::string>& before) {
    const auto place = find_place();
    if (!place || before.empty()) return;
    const auto row = find_session(*place, before.back());
    if (!row) return;
    auto session = connect_to_session(*place, *row);
    if (!session || !session->set_timeout(std::chrono::milliseconds(500))) return;
    const auto reply = session->call("org.belljar.Session.Connections");
    if (!reply || !reply->contains("connections")) return;
    for (const auto& connection : reply->at("connections"))
        candidates.add(std::to_string(connection.value("conn", 0)),
                       connection.value("host", "") + ":" + std::to_string(connection.value("port", 0)));
}

// `before`: the positionals that stand before.
void add_values(Candidates& candidates, ValueKind kind, const std::vector<std::string>& before) {
    switch (kind) {
    case ValueKind::Connection:
        add_connections(candidates, before);
        return;
    case ValueKind::Keys:
        for (const char* keys : {"ctrl-]", "ctrl-p,ctrl-q", "none"})
            candidates.add(keys);
        return;
    case ValueKind::Session:
        add_sessions(candidates);
        return;
    case ValueKind::Policy:
        if (const auto place = find_place())
            for (const PolicyListing& policy : list_policies(place->paths.config))
                candidates.add(policy.name, policy.summary);
        candidates.ask_shell(":files");
        return;
    case ValueKind::File:
        candidates.ask_shell(":files");
        return;
    case ValueKind::Folder:
        candidates.ask_shell(":folders");
        return;
    case ValueKind::User:
        candidates.ask_shell(":users");
        return;
    case ValueKind::Format:
        candidates.add("jsonl", "JSON Lines");
        candidates.add("csv", "comma-separated values");
        return;
    case ValueKind::Host:
        for (const std::string_view word : registry_words())
            candidates.add(std::string(word), "what your own tool is set up to fetch from");
        return;
    case ValueKind::KeptHome:
        if (const auto place = find_place())
            for (const std::string& name : list_kept_homes(place->paths))
                candidates.add(name);
        return;
    case ValueKind::Age:
    case ValueKind::Variable:
    case ValueKind::Text:
        return;
    }
}

const DeclaredOption* option_named(const Options& options, const std::string& word) {
    for (const DeclaredOption& option : options.declared())
        if (std::find(option.names.begin(), option.names.end(), word) != option.names.end()) return &option;
    return nullptr;
}

// Inside one command: `words` are those after its name, the last one being completed.
std::string complete_arguments(const Command& command, const std::vector<std::string>& words) {
    const Options options = declared_options(command);
    Candidates candidates(words.back());
    std::vector<std::string> positionals;
    const DeclaredOption* open = nullptr; // the option whose value comes next
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (open != nullptr) {
            open = nullptr;
        } else if (options.takes_command_line() && (word == "--" || !word.starts_with('-'))) {
            candidates.ask_shell(":command " + std::to_string(i + (word == "--" ? 1 : 0)));
            return candidates.text();
        } else if (word.starts_with('-')) {
            const DeclaredOption* option = option_named(options, word);
            if (option != nullptr && option->takes_value) open = option;
        } else {
            positionals.push_back(word);
        }
    }
    if (open != nullptr) {
        add_values(candidates, open->kind, positionals);
        return candidates.text();
    }
    if (words.back().starts_with('-')) {
        for (const DeclaredOption& option : options.declared())
            for (const std::string& name : option.names)
                candidates.add(name, option.help);
        return candidates.text();
    }
    if (options.takes_command_line()) candidates.ask_shell(":command " + std::to_string(words.size() - 1));
    std::size_t place = 0;
    for (const DeclaredOption& option : options.declared())
        if (option.names.empty() && (place++ == positionals.size() || option.repeats))
            add_values(candidates, option.kind, positionals);
    return candidates.text();
}

} // namespace

std::string complete(const std::vector<std::string>& words) {
    if (words.empty()) return {};
    for (const Command& command : commands()) {
        const std::string name = command.name;
        const std::size_t space = name.find(' ');
        const std::size_t taken = space == std::string::npos ? 1 : 2;
        if (words.size() <= taken || words[0] != name.substr(0, space)) continue;
        if (taken == 2 && words[1] != name.substr(space + 1)) continue;
        return complete_arguments(command, {words.begin() + static_cast<std::ptrdiff_t>(taken), words.end()});
    }
    Candidates candidates(words.back());
    for (const Command& command : commands()) {
        const std::string name = command.name;
        const std::size_t space = name.find(' ');
        if (words.size() == 1) candidates.add(name.substr(0, space), space == std::string::npos ? command.summary : "");
        if (words.size() == 2 && space != std::string::npos && words[0] == name.substr(0, space))
            candidates.add(name.substr(space + 1), command.summary);
    }
    if (words.size() == 1 && words[0].starts_with('-'))
        for (const char* option : {"--help", "--version"})
            candidates.add(option);
    return candidates.text();
}

} // namespace belljar::cli
