// `belljar`: the command line front end. It is a client of the library and of the sandbox's programs like any other.
#include "app/cli/command.h"
#include "app/cli/output.h"

#include <csignal>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
    ::signal(SIGXFSZ, SIG_IGN); // a write at the limit of file sizes fails, and is told
    // A standard stream that is closed would be taken by the next file that is opened, and then be written into.
    for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::open("/dev/null", O_RDWR))
        if (fd > STDERR_FILENO) {
            ::close(fd);
            break;
        }
    try {
        const int status =
            belljar::cli::run_command_line(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
        belljar::cli::print({}); // what is still in the buffer must get out
        return status;
    } catch (const std::exception& error) {
        belljar::cli::complain(belljar::Error{"internal error", error.what(), {}, 0});
        return belljar::cli::kRunFailed;
    }
}
