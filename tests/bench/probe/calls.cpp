// System calls that the filter allows: one whose verdict depends on its number alone, and one whose arguments are
// looked at and whose path Landlock judges.
#include "tests/bench/probe/probe.h"

#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::bench {

int calls(Arguments arguments) {
    if (arguments.size() != 1) throw std::runtime_error("REPEATS");
    const int repeats = std::stoi(arguments[0]);
    constexpr int batch = 20000;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        auto start = Clock::now();
        for (int i = 0; i < batch; ++i)
            ::syscall(SYS_getppid);
        print("getppid", microseconds_since(start) * 1000 / batch);
        start = Clock::now();
        for (int i = 0; i < batch / 10; ++i) {
            const int fd = ::open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
            if (fd < 0) throw std::runtime_error("cannot open /usr/bin/env");
            ::close(fd);
        }
        print("open+close", microseconds_since(start) * 1000 / (batch / 10));
    }
    return 0;
}

} // namespace belljar::bench
