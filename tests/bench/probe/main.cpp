#include "tests/bench/probe/probe.h"

#include <exception>
#include <iterator>

int main(int argc, char** argv) {
    using namespace belljar::bench;
    struct Command {
        std::string_view name;
        int (*run)(Arguments);
    };
    static constexpr Command commands[] = {{"launch", launch},   {"calls", calls},   {"denials", denials},
                                           {"connect", connect}, {"stream", stream}, {"serve", serve}};
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    for (const Command& command : commands) {
        if (command.name != wanted) continue;
        try {
            return command.run(Arguments(argv, static_cast<std::size_t>(argc)).subspan(2));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "belljar-bench-probe %s: %s\n", argv[1], error.what());
            return 1;
        }
    }
    std::fprintf(stderr, "belljar-bench-probe: unknown measurement; see tests/bench/probe/probe.h\n");
    return 2;
}
