// The checks of `belljar doctor`. Each looks at one thing that a sandbox needs, says what it found, and what to do
// where it is not there. Where reading a setting could mislead (AppArmor, a container's own filter), the check really
// tries, in a child. A session that cannot start asks the same checks (explain_failed_start), so both say one sentence.
// What is read from /proc and /etc is read below `root`, so that a test can show a check another machine.
#pragma once

#include "app/client/place.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belljar {

struct Check {
    enum class State {
        Ok,
        Note,
        Missing
    } state = State::Ok; // Missing: a session cannot start here; Note: it can, with less
    std::string name;    // "user namespaces"
    std::string found;   // what was read or tried; a whole sentence where it is not Ok
    std::string advice;  // what to do; empty when Ok
};

std::vector<Check> check_limits();                                              // ulimit: open files, file size
std::vector<Check> check_installation();                                        // the programs, the helper's version
std::vector<Check> check_machine(const Place& place);                           // folders, what they lie on, /proc
std::vector<Check> check_kernel();                                              // version, user notification, Landlock
std::vector<Check> check_settings(const Place& place, const std::string& root); // sysctl, cgroups, uid range
std::vector<Check> check_namespaces();                                          // all of a session's, really made
std::vector<Check> check_door(); // nftables with tproxy, in a network namespace of its own
// All of them, what others rest on first.
std::vector<Check> check_everything(const Place& place);

// The parts that decide, over what was read or tried.
Check landlock_check(long abi, int errno_value);
Check notification_check(int errno_value, const std::string& stage);
Check namespaces_check(const std::string& stage, int errno_value, const std::string& root);
Check door_check(const std::string& stage, int errno_value);
Check yama_check(const std::string& root);
Check check_notification(); // tried
struct Mounted {
    std::string at, type, options; // options: of the mount and of its file system, "rw,noexec,hidepid=2"
    bool has(std::string_view option) const;
};
// The mount that `path` lies on, by the lines of mountinfo (proc(5)); empty when none of them holds it.
Mounted mount_of(std::string_view path, std::string_view mountinfo);
Check proc_check(const std::string& mountinfo);
Check root_check(const std::string& mountinfo);
Check execution_check(const std::string& state, const std::string& home, const std::string& mountinfo);
std::string network_file_system(unsigned long type); // the name of that kind by statfs(2)'s magic, or empty

// What would let a session begin and then end it, or leave it unable to judge anything, seen before it is made: Yama,
// another listener, limits. A few microseconds, unless this process is itself under a filter.
Status look_before_start();
// `failed`, or, where a check finds what is missing, the same with that check's sentence and cure.
Error explain_failed_start(const Error& failed, const Place& place);

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
// In the child: a process in new namespaces (clone3(2), as the builder makes them), for which `body` runs with our own
// ids mapped; waits for its end.
void in_namespaces(Trial& trial, const char* stage, unsigned long namespaces, const std::function<void(Trial&)>& body);

} // namespace belljar
