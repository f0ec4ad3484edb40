// Why a session did not start, in doctor's words. The helper says at which stage the kernel said no; what that means
// on this machine the checks know. They cost a tenth of a second, and only when there is no session.
#include "app/client/doctor.h"

#include <algorithm>
#include <iterator>
#include <sys/prctl.h>

namespace belljar {
namespace {

// A layer that only a policy's `require` makes necessary is no more than a note to doctor.
bool is_about(const Error& failed, const Check& check) {
    return check.name == "Landlock" && failed.what.ends_with("(landlock)");
}

} // namespace

std::vector<Check> check_everything(const Place& place) {
    std::vector<Check> checks;
    for (auto more : {check_limits(), check_installation(), check_machine(place), check_kernel(), check_settings(place, ""),
                      check_namespaces(), check_door()})
        checks.insert(checks.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return checks;
}

Status look_before_start() {
    std::vector<Check> checks = check_limits();
    checks.push_back(yama_check(""));
    // Strict mode, the other answer, would have killed whoever asks (prctl(2): PR_GET_SECCOMP).
    if (::prctl(PR_GET_SECCOMP) != 0) checks.push_back(check_notification());
    for (const Check& check : checks)
        if (check.state == Check::State::Missing) return failure("start the session", check.found, check.advice);
    return {};
}

Error explain_failed_start(const Error& failed, const Place& place) {
    const std::vector<Check> checks = check_everything(place);
    auto found = std::find_if(checks.begin(), checks.end(), [&](const Check& check) {
        return check.state != Check::State::Ok && is_about(failed, check);
    });
    if (found == checks.end())
        found = std::find_if(checks.begin(), checks.end(),
                             [](const Check& check) { return check.state == Check::State::Missing; });
    if (found == checks.end()) return failed;
    return Error{failed.what, found->found, found->advice, failed.errno_value};
}

} // namespace belljar
