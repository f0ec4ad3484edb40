// Whole processes, from before the spawn to after the wait. The commands take turns, so that whatever else the machine
// does falls on all of them alike.
#include "tests/bench/probe/probe.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace belljar::bench {
namespace {

using Command = std::vector<char*>; // ends with a null pointer, as argv does

std::vector<Command> split(Arguments arguments) {
    std::vector<Command> commands;
    for (char* const word : arguments) {
        if (std::string_view(word) == "---")
            commands.emplace_back();
        else if (commands.empty())
            throw std::runtime_error("expected --- before a command");
        else
            commands.back().push_back(word);
    }
    for (Command& command : commands) {
        if (command.empty()) throw std::runtime_error("an empty command");
        command.push_back(nullptr);
    }
    return commands;
}

double run_once(const Command& command) {
    posix_spawn_file_actions_t quiet;
    ::posix_spawn_file_actions_init(&quiet);
    ::posix_spawn_file_actions_addopen(&quiet, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const auto start = Clock::now();
    pid_t child = -1;
    const int failed = ::posix_spawnp(&child, command.front(), &quiet, nullptr, command.data(), environ);
    ::posix_spawn_file_actions_destroy(&quiet);
    if (failed != 0) throw std::runtime_error("cannot start " + std::string(command.front()));
    int status = 0;
    while (::waitpid(child, &status, 0) != child) {
    }
    const double taken = microseconds_since(start);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error(std::string(command.front()) + " failed");
    return taken;
}

} // namespace

int launch(Arguments arguments) {
    if (arguments.size() < 3) throw std::runtime_error("ROUNDS --- COMMAND… [--- COMMAND…]…");
    const int rounds = std::stoi(arguments[0]);
    const std::vector<Command> commands = split(arguments.subspan(1));
    for (const Command& command : commands)
        run_once(command); // fills the caches
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < commands.size(); ++i)
            print(std::to_string(i), run_once(commands[i]));
    return 0;
}

} // namespace belljar::bench
