// The checks of `belljar doctor`. Each looks at one thing that a sandbox needs, says what it found, and what to do
// where it is not there. Where reading a setting could mislead (AppArmor, a container's own filter), the check really
// tries, in a child.
#pragma once

#include "app/cli/place.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace belljar::cli {

struct Check {
    enum class State {
        Ok,
        Note,
        Missing
    } state = State::Ok; // Missing: a session cannot start here; Note: it can, with less
    std::string name;    // "user namespaces"
    std::string found;   // what was read or tried
    std::string advice;  // what to do; empty when Ok
};

std::vector<Check> check_kernel();                    // version, Landlock, Yama, user notification
std::vector<Check> check_namespaces();                // settings, and all of them made at once
std::vector<Check> check_door();                      // nftables with tproxy, in a network namespace of its own
std::vector<Check> check_machine(const Place& place); // folders and what they lie on, /proc, the terminal
std::vector<Check> check_installation();              // the other programs, the helper's version

// Tries something in a child, which may change itself at will: each stage adds (name, errno or 0). Stops at the first
// errno.
class Trial {
public:
    explicit Trial(int fd) : fd_(fd) {}
    // Returns whether it went well. `result` is what the system call returned.
    bool stage(const char* name, long result);

private:
    int fd_;
};
struct TrialResult {
    std::string failed_stage; // empty when all went well
    int errno_value = 0;
};
TrialResult try_in_child(const std::function<void(Trial&)>& body);
// In the child: a user namespace with our own ids mapped (user_namespaces(7)), as a session has it.
bool enter_user_namespace(Trial& trial, int more_namespaces);

} // namespace belljar::cli
