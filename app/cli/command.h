// The commands of `belljar`: one table, from which the command line is dispatched, the help is written and the shell is
// answered. A command declares its options and hands back what to do; nothing runs before the whole line was
// understood.
#pragma once

#include "app/cli/options.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace belljar::cli {

using Action = std::function<int()>; // returns the exit status

struct Command {
    const char* name;  // "run", "audit verify"
    const char* usage; // "belljar run [OPTION]… [--] COMMAND [ARGUMENT]…"
    const char* summary;
    const char* examples; // lines, indented by two
    Action (*declare)(Options& options);
    int usage_status; // exit status when the command line is wrong
};

std::span<const Command> commands();
Options declared_options(const Command& command);

// Each in the file of its name.
Action declare_run(Options& options);
Action declare_ls(Options& options);
Action declare_show(Options& options);
Action declare_attach(Options& options);
Action declare_stop(Options& options);
Action declare_restart(Options& options);
Action declare_rename(Options& options);
Action declare_cut(Options& options);
Action declare_rm(Options& options);
Action declare_audit_show(Options& options);
Action declare_audit_verify(Options& options);
Action declare_audit_export(Options& options);
Action declare_audit_prune(Options& options);
Action declare_policy_list(Options& options);
Action declare_policy_show(Options& options);
Action declare_policy_check(Options& options);
Action declare_doctor(Options& options);

// The whole program: everything after the program's name.
int run_command_line(const std::vector<std::string>& arguments);
// Candidates for the last of `words` (those before it are complete), one a line as "candidate<TAB>help". A line that
// begins with ':' asks the shell for its own: ":files", ":folders", ":users", or ":command N": from the Nth word after
// the command's name on, it is a command line of its own.
std::string complete(const std::vector<std::string>& words);

} // namespace belljar::cli
