#include "app/cli/command.h"

#include "app/cli/nearest.h"
#include "app/cli/output.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace belljar::cli {
namespace {

constexpr std::array kCommands{
    Command{"run", "belljar run [OPTION]… [--] COMMAND [ARGUMENT]…",
            "Run a command in a sandbox: this folder is writable, nothing else of yours is visible, no host can be "
            "reached\n"
            "unless the policy allows it, and everything it reaches for is recorded.",
            "  belljar run -- npm test                          the default policy: no network\n"
            "  belljar run --allow api.example.com claude       one host, ports 443 and 80\n"
            "  belljar run --allow @npm -- npm ci               the registries that your own npm is set up for\n"
            "  belljar run -C ~/src/app -p offline -n fix -- bash  another folder, another policy, a name\n"
            "  belljar run --detach -- ./long-job.sh            prints the session's id and returns\n"
            "  belljar run --detach-keys ctrl-p,ctrl-q -- bash  leave by other keys than Ctrl-]\n"
            "  sudo belljar run --user alice -- make            root names the user who runs it",
            declare_run, kRunFailed},
    Command{"ls", "belljar ls [--all] [--json]", "List sessions: those that run, with --all also those that ended.",
            "  belljar ls\n"
            "  belljar ls --all\n"
            "  belljar ls --all --json | jq '.[] | select(.state == \"lost\")'",
            declare_ls, kUsage},
    Command{
        "show", "belljar show ID [--json]",
        "Show one session: its command, policy, what is enforced, its open connections, its counts and how it ended.",
        "  belljar show fix\n"
        "  belljar show 3f9 --json\n"
        "An ID may be shortened to any unique prefix; a session's name works too.",
        declare_show, kUsage},
    Command{"attach", "belljar attach ID [--detach-keys KEYS] [--read-only]",
            "Come (back) to a running session's terminal: its screen is drawn, and what you type goes there. Ctrl-] leaves "
            "again.",
            "  belljar attach fix\n"
            "  belljar attach --read-only 3f9                   look on\n"
            "  belljar attach --detach-keys ctrl-p,ctrl-q fix   other keys to leave by; `none` for none\n"
            "Several may be attached at once; the terminal is as large as the smallest. Ctrl-] pressed twice is typed "
            "once.",
            declare_attach, kUsage},
    Command{"stop", "belljar stop ID… [--force] [--json]",
            "End a running session: SIGHUP and SIGTERM, then SIGKILL after 5 seconds.",
            "  belljar stop fix\n"
            "  belljar stop --force 3f9                         SIGKILL at once",
            declare_stop, kUsage},
    Command{"restart", "belljar restart ID [-d] [--force] [--json]",
            "End a session if it runs, and start the same again: command, workspace, options and name, with the policy as "
            "it is now.",
            "  belljar restart fix\n"
            "  belljar restart -d fix                           in the background; prints the new id\n"
            "The environment is the one you stand in: values of variables are not kept.",
            declare_restart, kRunFailed},
    Command{"rename", "belljar rename ID NAME [--json]", "Give a session another name.",
            "  belljar rename 3f9 login-page\n"
            "Its record keeps the name that it began with.",
            declare_rename, kUsage},
    Command{"cut", "belljar cut ID CONNECTION [--json]",
            "End one connection of a running session; everything else of it goes on.",
            "  belljar show fix                                 lists open connections with their numbers\n"
            "  belljar cut fix 12",
            declare_cut, kUsage},
    Command{"rm", "belljar rm ID… [-f] [--json]",
            "Remove ended sessions: record, transcript and private home. The workspace is never touched.",
            "  belljar rm fix\n"
            "  belljar rm -f 3f9 a41                            without asking",
            declare_rm, kUsage},
    Command{"audit show", "belljar audit show ID [--follow] [--json]",
            "Print a session's record in words, or as JSON Lines.",
            "  belljar audit show fix\n"
            "  belljar audit show --follow fix                  as it happens, until the session ends\n"
            "  belljar audit show --json fix | jq 'select(.verdict == \"denied\")'",
            declare_audit_show, kUsage},
    Command{"audit verify", "belljar audit verify ID… [--json]",
            "Check that records are whole. Exit status: 0 sealed and whole, 1 broken, 2 whole but unsealed, 3 not "
            "readable.",
            "  belljar audit verify fix\n"
            "  belljar audit verify 3f9 a41 --json\n"
            "  belljar audit verify ./handed-over/record.db     a file, without what the index knows of it",
            declare_audit_verify, kUsage},
    Command{"audit export", "belljar audit export ID [--format FORMAT] [-o FILE] [--raw] [--console]",
            "Write a record in another form. What looks like a secret is masked unless --raw.",
            "  belljar audit export fix --format csv -o fix.csv\n"
            "  belljar audit export fix --raw > fix.jsonl\n"
            "  belljar audit export fix --console               the terminal's transcript instead",
            declare_audit_export, kUsage},
    Command{"audit prune", "belljar audit prune [--homes] [--older-than AGE] [--home NAME]… [--dry-run] [-f] [--json]",
            "Free what ended sessions left: says what would go, and asks. Without a choice it shows what there is.",
            "  belljar audit prune                              what there is, and how much\n"
            "  belljar audit prune --homes                      private homes; records stay\n"
            "  belljar audit prune --older-than 30d -f          whole sessions, without asking\n"
            "  belljar audit prune --home claude                a kept home, and the login in it",
            declare_audit_prune, kUsage},
    Command{"policy list", "belljar policy list [--json]",
            "List the policies that `run -p` knows: yours and the built-in ones.", "  belljar policy list",
            declare_policy_list, kUsage},
    Command{"policy show", "belljar policy show POLICY [--json]",
            "Show a policy with every value it leads to, defaults included.",
            "  belljar policy show default\n"
            "  belljar policy show ./ci.toml --json",
            declare_policy_show, kUsage},
    Command{
        "policy check", "belljar policy check FILE… [--workspace] [--json]",
        "Check policy files and name everything that is wrong in them, with its place.",
        "  belljar policy check ~/.config/belljar/policies/web.toml\n"
        "  belljar policy check .belljar/policy.toml        by its name as a workspace's policy, which may only narrow",
        declare_policy_check, kUsage},
    Command{"doctor", "belljar doctor [--json]",
            "Check what this machine offers to a sandbox, and say what to do where something is missing.",
            "  belljar doctor\n"
            "  belljar doctor --json",
            declare_doctor, kUsage},
};

std::string overview() {
    std::string out = "Belljar runs AI coding agents in a sandbox and records what they reach for.\n\n"
                      "Usage: belljar COMMAND [OPTION]… [ARGUMENT]…\n\nCommands:\n";
    for (const Command& command : kCommands) {
        std::string_view summary = command.summary;
        const std::size_t end = summary.find_first_of(":.");
        out += fmt::format("  {:<14} {}\n", command.name, summary.substr(0, end));
    }
    out += "\nOptions:\n"
           "  -h, --help     Show this; after a command, show its options and examples\n"
           "  --version      Show the version (with --json as JSON)\n"
           "\nExamples:\n"
           "  belljar run -- bash                  a shell in the sandbox, in this folder\n"
           "  belljar run --allow github.com git fetch\n"
           "  belljar attach ID                    back to a session that was left with Ctrl-]\n"
           "  belljar ls --all                     every session there was\n"
           "  belljar audit show ID                what one of them reached for\n"
           "  belljar doctor                       can this machine run it?\n"
           "\nSee also: man belljar\n";
    return out;
}

int show_version(bool json) {
    if (json)
        print_json({{"program", "belljar"}, {"version", BELLJAR_VERSION}});
    else
        print("belljar " BELLJAR_VERSION "\n");
    return 0;
}

std::vector<std::string> names_under(const std::string& group) {
    std::vector<std::string> names;
    for (const Command& command : kCommands) {
        const std::string name = command.name;
        const std::size_t space = name.find(' ');
        if (group.empty()) {
            names.push_back(name.substr(0, space));
        } else if (name.starts_with(group + " ")) {
            names.push_back(name.substr(group.size() + 1));
        }
    }
    return names;
}

int unknown(const std::string& group, const std::string& word) {
    const bool option = word.starts_with('-');
    const auto close = nearest(word, option ? std::vector<std::string>{"--help", "--version"} : names_under(group));
    const std::string program = group.empty() ? "belljar" : "belljar " + group;
    complain(Error{group.empty() ? word : group + " " + word, option ? "unknown option" : "unknown command",
                   close ? fmt::format("did you mean '{}'?", *close) : fmt::format("`{} --help` lists them", program),
                   0});
    return kUsage;
}

int group_help(const std::string& group, bool asked) {
    std::string out = fmt::format("Usage: belljar {} COMMAND [OPTION]…\n\nCommands:\n", group);
    for (const Command& command : kCommands)
        if (std::string_view(command.name).starts_with(group + " "))
            out += fmt::format("  {:<20} {}\n", command.name, command.summary);
    out += fmt::format("\n`belljar {} COMMAND --help` shows options and examples.\n", group);
    if (asked) {
        print(out);
        return 0;
    }
    std::fwrite(out.data(), 1, out.size(), stderr);
    return kUsage;
}

int start(const Command& command, std::vector<std::string> arguments) {
    Options options(command.usage, command.summary, command.examples);
    const Action action = command.declare(options);
    const auto parsed = options.parse(std::move(arguments));
    if (!parsed) {
        complain(parsed.error());
        return command.usage_status;
    }
    switch (*parsed) {
    case Options::Parsed::Help:
        print(options.help());
        return 0;
    case Options::Parsed::Run:
        return action();
    }
    return kUsage;
}

} // namespace

std::span<const Command> commands() {
    return kCommands;
}

Options declared_options(const Command& command) {
    Options options(command.usage, command.summary, command.examples);
    command.declare(options);
    return options;
}

int run_command_line(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        const std::string text = overview();
        std::fwrite(text.data(), 1, text.size(), stderr);
        return kUsage;
    }
    const std::string& first = arguments[0];
    if (first == "--help" || first == "-h") {
        print(overview());
        return 0;
    }
    if (first == "--version") return show_version(arguments.size() > 1 && arguments[1] == "--json");
    if (first == "__complete") {
        print(complete(std::vector<std::string>(arguments.begin() + 1, arguments.end())));
        return 0;
    }
    if (first == "help") {
        std::vector<std::string> turned(arguments.begin() + 1, arguments.end());
        turned.emplace_back("--help");
        return run_command_line(turned);
    }
    for (const Command& command : kCommands)
        if (command.name == first) return start(command, {arguments.begin() + 1, arguments.end()});
    if (names_under(first).empty()) return unknown("", first);
    if (arguments.size() == 1) return group_help(first, false);
    const std::string& second = arguments[1];
    if (second == "--help" || second == "-h") return group_help(first, true);
    for (const Command& command : kCommands)
        if (command.name == first + " " + second) return start(command, {arguments.begin() + 2, arguments.end()});
    return unknown(first, second);
}

} // namespace belljar::cli
